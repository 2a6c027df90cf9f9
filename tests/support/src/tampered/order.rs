//! The chain, and events that are missing, moved or doubled.

use serde_json::{Value, json};

use super::change::{Cases, Change};

pub fn cases(cases: &mut Cases<'_>) {
    let base = cases.base;
    let (last, middle) = (base.last(), base.last() / 2);
    if middle < 2 {
        return;
    }
    let hash = |seq: u64| {
        let line: Value = serde_json::from_str(base.line(seq)).expect("a line");
        line["event"]["hash"].as_str().expect("a hash").to_owned()
    };
    for seq in [1, middle, last] {
        let what = format!("event {seq} has another time; the chain is not made again");
        cases.changed("chain", what, seq, "chain", |change| {
            change.edit(seq, |body| body["at"] = json!("2026-06-01T00:00:00.000Z"));
        });
        cases.changed("chain", format!("event {seq} has another hash"), seq, "chain", |change| {
            change.line(seq, &hash(seq), &"ab".repeat(32));
        });
    }
    for seq in [2, middle, last] {
        let (rule, at) = if seq == last { ("head", last - 1) } else { ("order", seq) };
        let what = format!("event {seq} is missing; nothing else is changed");
        cases.changed("missing", what, at, rule, |change| change.lines(seq, 1, &[]));
        let what = format!("event {seq} is there twice; nothing else is changed");
        cases.changed("doubled", what, seq, "chain", |change| change.insert(seq + 1, base.line(seq)));
    }
    let next = middle + 1;
    let mut changed = |kind, what: String, rule, edit: &dyn Fn(&mut Change<'_>)| {
        cases.changed(kind, what, middle, rule, edit);
    };
    changed("chain", format!("event {middle}: upper-case digits of the hash"), "form", &|change| {
        change.line(middle, &hash(middle), &hash(middle).to_uppercase());
    });
    changed("chain", format!("event {middle} has the hash of the event before"), "chain", &|change| {
        change.line(middle, &hash(middle), &hash(middle - 1));
    });
    changed("order", format!("events {middle} and {next} are swapped"), "order", &|change| {
        change.lines(middle, 1, &[]);
        change.insert(next, base.line(middle));
    });
    changed("order", format!("event {middle} says that it is the next"), "order", &|change| {
        change.edit(middle, |body| body["seq"] = json!(next));
        change.chain();
    });
    changed("order", format!("the line of event {middle} has the next number"), "order", &|change| {
        change.line(middle, &format!("\"seq\":{middle}"), &format!("\"seq\":{next}"));
        change.chain();
    });
    let what = format!("the history breaks off after event {middle}");
    cases.changed("missing", what, next, "unfinished", |change| {
        change.lines(next, last - middle + 1, &[]);
    });
    let what = format!("the events after {middle} are missing, and the end is made to fit");
    cases.changed("missing", what, next, "unfinished", |change| {
        change.lines(next, last - middle, &[]);
        if base.first("game_finished", true).is_some() {
            change.standings(&Value::Null);
        }
        change.chain();
    });
}
