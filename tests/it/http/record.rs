//! Puts the record of a finished game to the second verifier.

use estimation_test_support::second::pass_the_second_verifier;

use crate::prelude::*;

/// Asserts that the second verifier accepts the history of a finished game and that the log has the same
/// events. Returns the totals of the seats.
pub async fn totals(table: &Table, log: &[Value]) -> Vec<i64> {
    let request = table.seat(0).player.client.get(&table.path("history"));
    let history = request.header("accept", "application/x-ndjson").await.body;
    let lines = history.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let verified: Vec<Value> = lines.filter_map(|line| line.get("event").cloned()).collect();
    assert_eq!(verified.len(), log.len());
    for (line, event) in verified.iter().zip(log) {
        let body: Value = serde_json::from_str(line["body"].as_str().expect("a text")).expect("JSON");
        assert_eq!(body["game"], json!(table.id));
        assert_eq!(line["hash"], event["hash"]);
        for member in ["seq", "at"] {
            assert_eq!(body[member], event[member]);
        }
        let (stored, shown) = (&body["event"], &event["event"]);
        for member in ["type", "card", "place", "account"] {
            assert_eq!(stored[member], shown[member], "{shown}");
        }
    }
    pass_the_second_verifier([history]);
    let standings =
        log.last().expect("an end")["event"]["result"]["standings"].as_array().expect("standings");
    standings.iter().map(|standing| standing["total"].as_i64().expect("a total")).collect()
}
