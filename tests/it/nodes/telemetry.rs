//! Telemetry of a node: log lines in JSON. `traces.rs` has the traces.

use crate::prelude::*;

/// The trace that each request continues, if the node trusts the client.
pub(super) const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
pub(super) const PARENT: &str = "b7ad6b7169203331";

pub(super) fn node(folder: &TempDir, flags: &[&str]) -> Node {
    let data = folder.path().to_str().expect("a path");
    let all = [&["--data-dir", data, "--metrics-listen", "127.0.0.1:0"], flags].concat();
    Node::start(folder.path(), &all)
}

pub(super) fn ended(mut node: Node) {
    node.terminate();
    assert!(node.ended_within(PATIENCE).is_some_and(|status| status.success()));
}

pub(super) async fn calls(url: &str) -> String {
    let noor = Client::anonymous(url).register("noor").await.client;
    let opening = noor.send("/v1/games", &json!({"ruleset": "nineteen"}));
    let opening = opening.header("traceparent", format!("00-{TRACE}-{PARENT}-01"));
    opening.header("x-request-id", "table-1").await.accepted();
    noor.token.expect("a token")
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
