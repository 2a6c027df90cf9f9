//! Traces of a node, as a collector gets them. The program has them with the feature `traces`.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Map;

use super::telemetry::{PARENT, TRACE, calls, ended, node};
use crate::prelude::*;

/// A span of OTLP (`opentelemetry/proto/trace/v1/trace.proto`), as it arrived.
#[derive(Debug)]
struct Span {
    trace_id: String,
    span_id: String,
    parent_span_id: String,
    name: String,
    kind: u64,
    attributes: Map<String, Value>,
    /// The attributes of the process that sent it.
    resource: Map<String, Value>,
}

/// The value of a field in Protocol Buffers' wire format.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message with this number, in their order.
fn fields(mut message: &[u8], wanted: u64) -> Vec<Field<'_>> {
    let mut found = Vec::new();
    while !message.is_empty() {
        let tag = varint(&mut message);
        let field = match tag & 7 {
            0 => Field::Number(varint(&mut message)),
            1 => Field::Bytes(message.split_off(..8).expect("eight bytes")),
            2 => {
                let length = varint(&mut message) as usize;
                Field::Bytes(message.split_off(..length).expect("the bytes"))
            }
            5 => Field::Bytes(message.split_off(..4).expect("four bytes")),
            other => panic!("wire type {other}"),
        };
        if tag >> 3 == wanted {
            found.push(field);
        }
    }
    found
}

fn varint(message: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *message.split_off_first().expect("a byte");
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

fn messages(message: &[u8], wanted: u64) -> Vec<&[u8]> {
    let bytes = |field| if let Field::Bytes(bytes) = field { bytes } else { panic!("a number") };
    fields(message, wanted).into_iter().map(bytes).collect()
}

fn text(message: &[u8], wanted: u64) -> String {
    let found = messages(message, wanted).pop().unwrap_or_default();
    String::from_utf8(found.to_vec()).expect("a text")
}

fn id(message: &[u8], wanted: u64) -> String {
    hex::encode(messages(message, wanted).pop().unwrap_or_default())
}

fn number(message: &[u8], wanted: u64) -> Option<u64> {
    fields(message, wanted)
        .pop()
        .map(|field| if let Field::Number(number) = field { number } else { panic!("bytes") })
}

/// Attributes that are texts and whole numbers.
fn attributes(message: &[u8], wanted: u64) -> Map<String, Value> {
    let attribute = |pair: &&[u8]| {
        let value = messages(pair, 2).pop().unwrap_or_default();
        let value = number(value, 3).map_or_else(|| json!(text(value, 1)), |number| json!(number));
        (text(pair, 1), value)
    };
    messages(message, wanted).iter().map(attribute).collect()
}

/// The spans of an `ExportTraceServiceRequest`.
fn spans(request: &[u8]) -> Vec<Span> {
    let mut spans = Vec::new();
    for resource_spans in messages(request, 1) {
        let resource = messages(resource_spans, 1).pop().unwrap_or_default();
        for span in messages(resource_spans, 2).into_iter().flat_map(|scope| messages(scope, 2)) {
            spans.push(Span {
                trace_id: id(span, 1),
                span_id: id(span, 2),
                parent_span_id: id(span, 4),
                name: text(span, 5),
                kind: number(span, 6).unwrap_or_default(),
                attributes: attributes(span, 9),
                resource: attributes(resource, 1),
            });
        }
    }
    spans
}

/// A collector that accepts every request. Returns its address and what arrives.
fn collector() -> (String, Receiver<Vec<Span>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let (mut read, mut buffer) = (Vec::new(), [0; 4096]);
            let body = loop {
                let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") else {
                    let count = socket.read(&mut buffer).expect("a request");
                    read.extend_from_slice(&buffer[..count]);
                    continue;
                };
                let head = String::from_utf8_lossy(&read[..end]).to_lowercase();
                assert!(head.starts_with("post /v1/traces "), "{head}");
                let length = head.split("content-length: ").nth(1).expect("a length");
                let length: usize =
                    length.lines().next().expect("a length").trim().parse().expect("a number");
                if read.len() >= end + 4 + length {
                    break read[end + 4..end + 4 + length].to_vec();
                }
                let count = socket.read(&mut buffer).expect("a body");
                read.extend_from_slice(&buffer[..count]);
            };
            // Sends before answering: once the node has ended, everything it exported is here.
            sender.send(spans(&body)).expect("a test");
            let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            socket.write_all(answer.as_bytes()).expect("an answer");
        }
    });
    (address, receiver)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_of_a_proxy_continues_in_the_node() {
    let (folder, (address, traces)) = (TempDir::new().expect("a folder"), collector());
    let flags = ["--otlp-endpoint", &address, "--otlp-share", "0", "--trusted-proxy", "127.0.0.0/8"];
    let node = node(&folder, &flags);
    let token = calls(&node.url).await;
    ended(node);
    let spans: Vec<Span> = traces.try_iter().flatten().collect();
    assert!(spans.iter().all(|span| span.resource["service.name"] == "estimation"), "{spans:?}");
    // Only spans of the proxy's trace: the sampling ratio for other traces is zero.
    assert!(spans.iter().all(|span| span.trace_id == TRACE), "{spans:?}");
    let opened = spans.iter().find(|span| span.name == "createGame").expect("the request");
    assert_eq!(opened.parent_span_id, PARENT);
    assert_eq!(opened.kind, 2, "a server's");
    assert_eq!(opened.attributes["request_id"], "table-1");
    assert_eq!(opened.attributes["http.request.method"], "POST");
    assert_eq!(opened.attributes["http.route"], "/v1/games");
    assert_eq!(opened.attributes["http.response.status_code"], 201);
    let append = spans.iter().find(|span| span.name == "append").expect("what it wrote");
    assert_eq!(append.parent_span_id, opened.span_id);
    assert!(!format!("{spans:?}").contains(&token), "a token in a trace");
}

#[tokio::test(flavor = "multi_thread")]
async fn trace_headers_of_strangers_are_ignored() {
    let (folder, (address, traces)) = (TempDir::new().expect("a folder"), collector());
    let node = node(&folder, &["--otlp-endpoint", &address, "--otlp-share", "0"]);
    calls(&node.url).await;
    ended(node);
    assert_eq!(traces.try_iter().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_without_its_collector_still_serves() {
    let folder = TempDir::new().expect("a folder");
    let node = node(&folder, &["--otlp-endpoint", "http://127.0.0.1:9", "--otlp-share", "1"]);
    calls(&node.url).await;
    ended(node);
}
