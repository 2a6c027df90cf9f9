//! Times: that go back, and acts of the clock and the service that come too early.

use serde_json::{Value, json};

use super::change::{Base, Case};
use estimation_record::RecordTime;
use jiff::SignedDuration;

pub fn cases<'a>(base: &'a Base, _: &'a [Base]) -> Vec<Case<'a>> {
    let at = |seq: u64| base.body(seq)["at"].as_str().expect("a time").parse::<RecordTime>().expect("a time");
    let earlier =
        |seq: u64, milliseconds: i64| at(seq).plus(SignedDuration::from_millis(-milliseconds)).to_string();
    let mut cases = Vec::new();
    let last = base.last();
    if last > 1 {
        for seq in [2, last / 2 + 1, last] {
            let kind = base.event(seq)["type"].as_str().expect("a type");
            let mut change = base.change();
            change.edit(seq, |body| body["at"] = json!(earlier(seq - 1, 1)));
            change.chain();
            let what = format!("event {seq}, {kind}, is a millisecond before the event before it");
            // An act of the clock or of the service that is this early breaks the rule twice.
            cases.push(change.found("time", what, seq, "time"));
        }
        let mut change = base.change();
        change.edit(1, |body| body["at"] = json!("9998-12-31T23:59:59.999Z"));
        change.chain();
        cases.push(change.found("time", "the first event is in the last year", 2, "time"));
    }
    if base.event(last)["reason"] == "expired" {
        cases.push(base.replaced(last, "time", "time", "/at", json!(earlier(last, 2_000))));
        cases.push(base.replaced(last, "time", "time", "/at", json!(at(last - 1).to_string())));
    }
    for seq in 2..last {
        let body: &Value = base.body(seq);
        if body["actor"]["by"] != "clock" || at(seq - 1) >= at(seq) {
            continue;
        }
        let seconds = base.event(1)["turn_seconds"].as_i64().expect("a clock");
        let turn = at(seq - 1).plus(SignedDuration::from_secs(seconds)).plus(SignedDuration::from_millis(-1));
        let early = json!(turn.to_string());
        cases.push(base.replaced(seq, "clock", "time", "/at", early));
    }
    cases
}
