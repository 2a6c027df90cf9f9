//! Times: that go back, and acts of the clock and the service that come too early.

use estimation_record::RecordTime;
use jiff::SignedDuration;
use serde_json::json;

use super::change::Cases;

pub fn cases(cases: &mut Cases<'_>) {
    let base = cases.base;
    let at = |seq: u64| base.body(seq)["at"].as_str().expect("a time").parse::<RecordTime>().expect("a time");
    let earlier =
        |seq: u64, milliseconds: i64| at(seq).plus(SignedDuration::from_millis(-milliseconds)).to_string();
    let last = base.last();
    if last > 1 {
        for seq in [2, last / 2 + 1, last] {
            let what =
                format!("event {seq}, {}, is a millisecond before the event before it", base.kind(seq));
            // An act of the clock or of the service that is this early breaks the rule twice.
            cases.changed("time", what, seq, "time", |change| {
                change.edit(seq, |body| body["at"] = json!(earlier(seq - 1, 1)));
                change.chain();
            });
        }
        cases.changed("time", "the first event is in the last year", 2, "time", |change| {
            change.edit(1, |body| body["at"] = json!("9998-12-31T23:59:59.999Z"));
            change.chain();
        });
    }
    for seq in 2..last {
        if base.body(seq)["actor"]["by"] != "clock" || at(seq - 1) >= at(seq) {
            continue;
        }
        let seconds = base.event(1)["turn_seconds"].as_i64().expect("a clock");
        let turn = at(seq - 1).plus(SignedDuration::from_secs(seconds)).plus(SignedDuration::from_millis(-1));
        cases.replaced(seq, "clock", "time", "/at", json!(turn.to_string()));
    }
}
