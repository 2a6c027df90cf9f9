//! Changed, missing and doubled events that the rules derive.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::change::{Base, Cases};

/// Openings of client seeds fail by time, and their changes break other rules.
const OPENINGS: [&str; 2] = ["opening_failed", "game_started"];

/// Members that other families change.
const OTHERS: [&str; 6] = ["type", "account", "commitment", "salt", "server_seed", "standings"];

pub fn cases(cases: &mut Cases<'_>) {
    let base = cases.base;
    let mut seen = BTreeSet::from(OPENINGS);
    for seq in 1..=base.last() {
        let (kind, event) = (base.kind(seq), base.event(seq));
        if base.body(seq)["actor"] != "server" || event["reason"] == "expired" || !seen.insert(kind) {
            continue;
        }
        let rule = match kind {
            "seats_drawn" | "round_dealt" => "deal",
            "round_scored" => "score",
            _ => "derived",
        };
        for (member, value) in event.as_object().expect("an event") {
            if !OTHERS.contains(&member.as_str()) && !value.is_array() && !value.is_object() {
                cases.replaced(seq, kind, rule, &format!("/event/{member}"), other(base, member, value));
            }
        }
        around(cases, kind, seq);
        match kind {
            "round_scored" => score(cases, seq),
            "game_finished" => standings(cases, seq),
            "host_changed" => {
                let host = base.event(1)["host"].clone();
                cases.replaced(seq, kind, rule, "/event/account", host);
            }
            _ => {}
        }
    }
}

/// Another value of the same type.
fn other(base: &Base, member: &str, value: &Value) -> Value {
    match (member, value) {
        (
            "seat" | "place" | "leader" | "dealer" | "first_speaker" | "bidder" | "risk",
            Value::Number(seat),
        ) => json!((seat.as_u64().expect("a seat") + 1) % base.players()),
        ("bidder" | "risk", _) => json!(0),
        ("trump", _) => json!(if *value == "hearts" { "clubs" } else { "hearts" }),
        ("indicator", Value::Null) | ("card", _) => json!(if *value == "AS" { "KS" } else { "AS" }),
        ("indicator", _) => json!(if *value == "AH" { "KH" } else { "AH" }),
        ("kind", _) => json!(if *value == "fast" { "auction" } else { "fast" }),
        ("reason", _) => json!("cancelled"),
        _ => json!(value.as_i64().unwrap_or_default() + 1),
    }
}

/// Another actor, other members, and the event gone or there twice.
fn around<'a>(cases: &mut Cases<'a>, kind: &'a str, seq: u64) {
    let base = cases.base;
    let actor = if kind == "host_changed" { json!({"place": 1}) } else { json!({"seat": 0}) };
    cases.replaced(seq, kind, "actor", "/actor", actor);
    cases.forged(seq, kind, "an unknown member", "form", |body| body["event"]["note"] = json!(""));
    if let Some(member) = base.event(seq).as_object().expect("an event").keys().find(|name| *name != "type") {
        cases.forged(seq, kind, format!("{member} is missing"), "form", |body| {
            body["event"].as_object_mut().expect("an event").remove(member);
        });
    }
    cases.missing(seq, if seq == base.last() { "unfinished" } else { "derived" });
    cases.doubled(seq, "derived");
}

fn score(cases: &mut Cases<'_>, seq: u64) {
    let base = cases.base;
    let kind = "round_scored";
    let seat = base.players() - 1;
    for (path, more) in [
        (format!("/event/tricks/{seat}"), 1),
        ("/event/points/0".to_owned(), 1),
        (format!("/event/points/{seat}"), -1),
        ("/event/totals/0".to_owned(), 10),
        (format!("/event/calls/{seat}/tricks"), 1),
        ("/event/lines/0/0/points".to_owned(), 1),
    ] {
        if let Some(was) = base.body(seq).pointer(&path).and_then(Value::as_i64) {
            cases.replaced(seq, kind, "score", &path, json!(was + more));
        }
    }
    let mut either = |path: &str, one: &str, other: &str| {
        if let Some(was) = base.body(seq).pointer(path) {
            cases.replaced(seq, kind, "score", path, json!(if was == one { other } else { one }));
        }
    };
    either("/event/calls/0/kind", "estimate", "dash_call");
    either("/event/lines/0/0/reason", "kabooot", "made");
    let mut lines = |what: &str, edit: &dyn Fn(&mut Vec<Value>, &mut Value)| {
        cases.forged(seq, kind, what, "score", |body| {
            let mut lines = body["event"]["lines"].as_array().expect("lines").clone();
            edit(&mut lines, &mut body["event"]);
            body["event"]["lines"] = json!(lines);
        });
    };
    let push = |lines: &mut [Value], line: Value| lines[0].as_array_mut().expect("lines").push(line);
    lines("seat 0 gets ten points more, with a line for them", &|lines, event| {
        push(lines, json!({"reason": "made", "points": 10}));
        for list in ["points", "totals"] {
            event[list][0] = json!(event[list][0].as_i64().expect("a number") + 10);
        }
    });
    lines("seat 0 has a line more, of no points", &|lines, _| {
        push(lines, json!({"reason": "made", "points": 0}));
    });
    lines("seat 0 has the factor 1", &|lines, _| push(lines, json!({"reason": "multiplier", "factor": 1})));
    lines("the lines of two seats are swapped", &|lines, _| {
        lines.swap(0, 1);
        if lines[0] == lines[1] {
            lines[0] = json!([]);
        }
    });
    let long = base.all(kind, true).into_iter().find_map(|seq| {
        let lines = base.event(seq)["lines"].as_array().expect("lines");
        Some((seq, lines.iter().position(|own| own.as_array().is_some_and(|own| own.len() > 1))?))
    });
    if let Some((seq, seat)) = long {
        let own = |body: &mut Value, edit: &dyn Fn(&mut Vec<Value>)| {
            edit(body["event"]["lines"][seat].as_array_mut().expect("lines"));
        };
        let what = format!("the lines of seat {seat} are reversed");
        cases.forged(seq, kind, what, "score", |body| own(body, &|lines| lines.reverse()));
        let what = format!("seat {seat} lacks its first line");
        cases.forged(seq, kind, what, "score", |body| own(body, &|lines| drop(lines.remove(0))));
    }
    cases.forged(seq, kind, "a With who is none", "score", |body| {
        let withs = &mut body["event"]["withs"];
        *withs = if *withs == json!([0]) { json!([1]) } else { json!([0]) };
    });
    cases.forged(seq, kind, "the seats of withs are not in order", "form", |body| {
        body["event"]["withs"] = json!([1, 0]);
    });
    cases.forged(seq, kind, "the totals of one seat are missing", "form", |body| {
        body["event"]["totals"].as_array_mut().expect("totals").pop();
    });
    if let Some(&last) = base.all(kind, true).last().filter(|last| **last != seq) {
        let was = base.event(last)["totals"][1].as_i64().expect("a total");
        cases.replaced(last, kind, "score", "/event/totals/1", json!(was - 1));
    }
}

fn standings(cases: &mut Cases<'_>, seq: u64) {
    let base = cases.base;
    let mut forged = |what: &str, edit: &dyn Fn(&mut Vec<Value>)| {
        let mut standings = base.event(seq)["standings"].as_array().expect("standings").clone();
        edit(&mut standings);
        let (standings, what) =
            (json!(standings), format!("event {seq}, game_finished, and the end: {what}"));
        cases.changed("game_finished", what, seq, "standings", |change| {
            change.edit(seq, |body| body["event"]["standings"] = standings.clone());
            change.standings(&standings);
            change.chain();
        });
    };
    let raise = |value: &mut Value| *value = json!(value.as_i64().expect("a number") + 1);
    forged("the total of seat 0 is raised", &|list| raise(&mut list[0]["total"]));
    forged("the rank of seat 0 is raised", &|list| raise(&mut list[0]["rank"]));
    let ranks = |seat: usize| &base.event(seq)["standings"][seat]["rank"];
    if ranks(0) != ranks(1) {
        forged("the ranks are swapped", &|list| {
            let (one, other) = (list[0]["rank"].clone(), list[1]["rank"].clone());
            (list[0]["rank"], list[1]["rank"]) = (other, one);
        });
    }
    forged("the seats are in another order", &|list| list.reverse());
}
