//! Connections that become streams: what else a client sends on them, and what they release.

use estimation::http::{ConnectionLimits, ServerSettings};

use super::raw::{GET, PATIENCE, Raw};
use crate::prelude::*;

/// The maximum number of streams per account.
const EACH: usize = 16;

const END: &str = "event: end\ndata: {}\n\n";

fn service(connections: ConnectionLimits) -> Service {
    let settings = ServerSettings { connections, ..Setup::default().settings };
    Service::told(TestDatabase::new(Backend::Sqlite), Setup { settings, ..Setup::default() })
}

fn ask(method: &str, table: &Table, version: &str) -> String {
    let (path, token) = (table.path("stream"), &table.players[0].access_token);
    format!("{method} {path} HTTP/{version}\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n")
}

async fn cancel(table: &Table) {
    table.players[0].client.send(&table.path("cancel"), &json!({})).await.accepted();
}

#[tokio::test]
async fn a_stream_ends_its_connection_as_it_says() {
    let service = service(ConnectionLimits::NONE);
    let table = service.table("nineteen").players(2).open().await;
    let mut raw = Raw::to(&service);
    raw.say(&ask("GET", &table, "1.1"));
    let head = raw.answer();
    for header in ["connection: close", "transfer-encoding: chunked", "content-type: text/event-stream"] {
        assert!(head.lines().any(|line| line == header), "no {header} in {head}");
    }
    raw.hear("id: 1-");
    cancel(&table).await;
    let rest = raw.end();
    assert!(rest.ends_with(&format!("\r\n{:x}\r\n{END}\r\n0\r\n\r\n", END.len())), "{rest:?}");
}

#[tokio::test]
async fn a_request_behind_that_for_a_stream_is_not_answered() {
    let service = service(ConnectionLimits::NONE);
    let table = service.table("nineteen").players(2).open().await;
    let mut raw = Raw::to(&service);
    raw.say(&format!("{GET}{}{GET}", ask("GET", &table, "1.1")));
    assert!(raw.answer().ends_with("\"ok\"}"), "what comes before is answered");
    assert!(raw.answer().contains("text/event-stream"));
    raw.hear("id: 1-");
    raw.say(GET);
    cancel(&table).await;
    let rest = raw.end();
    assert!(rest.contains(END) && !rest.contains("HTTP/"), "{rest:?}");
}

/// HTTP/1.0 has no chunks.
#[tokio::test]
async fn a_client_of_http_1_0_gets_a_stream_without_chunks() {
    let service = service(ConnectionLimits::NONE);
    let table = service.table("nineteen").players(2).open().await;
    let mut raw = Raw::to(&service);
    raw.say(&ask("GET", &table, "1.0"));
    let head = raw.answer();
    assert!(!head.contains("transfer-encoding") && head.contains("text/event-stream"), "{head}");
    cancel(&table).await;
    let rest = raw.end();
    assert!(rest.starts_with("id: 1-") && rest.ends_with(&format!("}}\n\n{END}")), "{rest:?}");
}

#[tokio::test]
async fn the_head_of_a_stream_opens_none() {
    let service = service(ConnectionLimits::NONE);
    let table = service.table("nineteen").players(2).open().await;
    let mut raw = Raw::to(&service);
    for _ in 0..2 * EACH {
        raw.say(&ask("HEAD", &table, "1.1"));
        let head = raw.answer();
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/event-stream"), "{head}");
    }
    raw.say(GET);
    assert!(raw.answer().ends_with("\"ok\"}"));
}

#[tokio::test]
async fn a_closed_stream_makes_room_for_another() {
    let service = service(ConnectionLimits { total: 1_000, per_address: EACH });
    let table = service.table("nineteen").players(2).open().await;
    let opened = || {
        let mut raw = Raw::from([127, 0, 3, 1], &service);
        raw.say_what_is_heard(&ask("GET", &table, "1.1"));
        raw.begins_with("HTTP/1.1 200").then_some(raw)
    };
    let mut streams: Vec<Raw> = (0..EACH).map(|_| opened().expect("a stream")).collect();
    assert!(opened().is_none(), "the address has its share");
    let begun = Instant::now();
    for close in [|_: Raw| {}, |mut raw: Raw| drop(raw.end_after_half_close())] {
        close(streams.remove(0));
        streams.push(loop {
            if let Some(stream) = opened() {
                break stream;
            }
            assert!(begun.elapsed() < PATIENCE, "a closed stream is counted");
        });
        assert!(opened().is_none(), "the address has its share");
    }
}
