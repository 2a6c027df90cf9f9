//! Telemetry of a node: traces to a collector, and log lines in JSON.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::client::Client;
use crate::harness::node::Node;
use crate::patience::PATIENCE;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// A collector that accepts every request. Returns its address and what arrives.
fn collector() -> (String, Receiver<ExportTraceServiceRequest>) {
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
            sender.send(ExportTraceServiceRequest::decode(&body[..]).expect("traces")).expect("a test");
            let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            socket.write_all(answer.as_bytes()).expect("an answer");
        }
    });
    (address, receiver)
}

fn node(folder: &TempDir, flags: &[&str]) -> Node {
    let data = folder.path().to_str().expect("a path");
    let all = [&["--data-dir", data, "--metrics-listen", "127.0.0.1:0"], flags].concat();
    Node::start(folder.path(), &all)
}

fn ended(mut node: Node) {
    node.terminate();
    assert!(node.ended_within(PATIENCE).is_some_and(|status| status.success()));
}

fn attribute(span: &Span, key: &str) -> Value {
    let found = span.attributes.iter().find(|pair| pair.key == key);
    match found.and_then(|pair| pair.value.as_ref()?.value.as_ref()) {
        Some(Any::StringValue(text)) => json!(text),
        Some(Any::IntValue(number)) => json!(number),
        other => panic!("{key}: {other:?} in {span:?}"),
    }
}

async fn calls(url: &str) -> String {
    let noor = Client::anonymous(url).register("noor").await.client;
    let opening = noor.send("/v1/games", &json!({"ruleset": "nineteen"}));
    let opening = opening.header("traceparent", format!("00-{TRACE}-{PARENT}-01"));
    opening.header("x-request-id", "table-1").await.accepted();
    noor.token.expect("a token")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_of_a_proxy_continues_in_the_node() {
    let (folder, (address, traces)) = (TempDir::new().expect("a folder"), collector());
    let flags = ["--otlp-endpoint", &address, "--otlp-share", "0", "--trusted-proxy", "127.0.0.0/8"];
    let node = node(&folder, &flags);
    let token = calls(&node.url).await;
    ended(node);
    let told: Vec<ExportTraceServiceRequest> = traces.try_iter().collect();
    let resources = told.iter().flat_map(|request| &request.resource_spans);
    let named = |attributes: &[_]| format!("{attributes:?}").contains("StringValue(\"estimation\")");
    assert!(resources.clone().all(|all| named(&all.resource.as_ref().expect("a resource").attributes)));
    let spans: Vec<&Span> =
        resources.flat_map(|all| &all.scope_spans).flat_map(|scope| &scope.spans).collect();
    // Only spans of the proxy's trace: the sampling ratio for other traces is zero.
    assert!(spans.iter().all(|span| hex::encode(&span.trace_id) == TRACE), "{spans:?}");
    let opened = spans.iter().find(|span| span.name == "createGame").expect("the request");
    assert_eq!(hex::encode(&opened.parent_span_id), PARENT);
    assert_eq!(opened.kind, 2, "a server's");
    assert_eq!(attribute(opened, "request_id"), "table-1");
    assert_eq!(attribute(opened, "http.request.method"), "POST");
    assert_eq!(attribute(opened, "http.route"), "/v1/games");
    assert_eq!(attribute(opened, "http.response.status_code"), 201);
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

#[tokio::test(flavor = "multi_thread")]
async fn log_lines_are_json_with_the_request_they_belong_to() {
    let folder = TempDir::new().expect("a folder");
    let node = node(&folder, &["--log-format", "json", "--log", "info,estimation=debug"]);
    calls(&node.url).await;
    let log = node.complaints();
    ended(node);
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect();
    assert!(!lines.is_empty());
    for line in &lines {
        for name in ["timestamp", "level", "target"] {
            assert!(line[name].is_string(), "{name} of {line}");
        }
        // Security events have an event name.
        let told = if line["target"] == "estimation::security" { "event" } else { "message" };
        assert!(line[told].is_string(), "{told} of {line}");
    }
    let answered = lines.iter().find(|line| line["message"] == "request" && line["request_id"] == "table-1");
    let answered = answered.expect("the line of the request");
    assert_eq!((&answered["method"], &answered["status"]), (&json!("POST"), &json!(201)));
    assert!(answered["micros"].is_u64());
}
