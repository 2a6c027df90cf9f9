//! Changed, missing and doubled events that the rules derive.

use serde_json::{Value, json};

use super::change::{Base, Case};

/// The kinds of derived events, the rule that a changed one breaks, and the members to change.
const KINDS: [(&str, &str, &[&str]); 18] = [
    ("host_changed", "derived", &["place"]),
    ("seats_drawn", "deal", &[]),
    ("seat_chosen", "derived", &["place", "seat"]),
    (
        "round_dealt",
        "deal",
        &["round", "attempt", "kind", "hand_size", "dealer", "first_speaker", "carry", "trump", "indicator"],
    ),
    ("avoid_declared", "derived", &["seat"]),
    ("auction_won", "derived", &["seat", "tricks", "trump"]),
    ("auction_void", "derived", &[]),
    ("round_folded", "derived", &[]),
    ("trump_changed", "derived", &["seat", "trump"]),
    ("play_began", "derived", &["leader"]),
    ("trick_taken", "derived", &["seat"]),
    ("revoked", "derived", &["seat", "card", "points"]),
    ("turn_timed_out", "derived", &["seat"]),
    ("stand_in_began", "derived", &["seat"]),
    ("stand_in_ended", "derived", &["seat"]),
    ("round_scored", "score", &["round", "bidder", "risk", "multiplier", "next_carry"]),
    ("game_finished", "standings", &[]),
    ("game_abandoned", "derived", &["reason"]),
];

pub fn cases<'a>(base: &'a Base, _: &'a [Base]) -> Vec<Case<'a>> {
    let mut cases = Vec::new();
    for (kind, rule, members) in KINDS {
        let seqs = base.all(kind, true);
        let Some(&seq) = seqs.first() else { continue };
        if base.event(seq)["reason"] == "expired" {
            continue;
        }
        for member in members {
            let value = other(base, member, &base.event(seq)[member]);
            cases.push(base.replaced(seq, kind, rule, &format!("/event/{member}"), value));
        }
        around(base, kind, seq, &mut cases);
        if kind == "round_scored" {
            score(base, seq, &mut cases);
        }
    }
    if let Some(&seq) = base.all("game_finished", true).first() {
        standings(base, seq, &mut cases);
    }
    if let Some(&seq) = base.all("host_changed", true).first() {
        let host = base.event(1)["host"].clone();
        cases.push(base.replaced(seq, "host_changed", "derived", "/event/account", host));
    }
    cases
}

/// Another value of the same type.
fn other(base: &Base, member: &str, value: &Value) -> Value {
    match (member, value) {
        (
            "seat" | "place" | "leader" | "dealer" | "first_speaker" | "bidder" | "risk",
            Value::Number(seat),
        ) => {
            json!((seat.as_u64().expect("a seat") + 1) % base.players())
        }
        ("bidder" | "risk", _) => json!(0),
        ("trump", _) => json!(if *value == "hearts" { "clubs" } else { "hearts" }),
        ("indicator", Value::Null) | ("card", _) => json!(if *value == "AS" { "KS" } else { "AS" }),
        ("indicator", _) => json!(if *value == "AH" { "KH" } else { "AH" }),
        ("kind", _) => json!(if *value == "fast" { "auction" } else { "fast" }),
        ("reason", _) => json!("cancelled"),
        _ => json!(value.as_i64().expect("a number") + 1),
    }
}

/// Another actor, other members, and the event gone or there twice.
fn around<'a>(base: &'a Base, kind: &'static str, seq: u64, cases: &mut Vec<Case<'a>>) {
    let actor = if kind == "host_changed" { json!({"place": 1}) } else { json!({"seat": 0}) };
    cases.push(base.replaced(seq, kind, "actor", "/actor", actor));
    cases.push(base.forged(seq, kind, "an unknown member", "form", |body| body["event"]["note"] = json!("")));
    if let Some(member) = base.event(seq).as_object().expect("an event").keys().find(|name| *name != "type") {
        cases.push(base.forged(seq, kind, format!("{member} is missing"), "form", |body| {
            body["event"].as_object_mut().expect("an event").remove(member);
        }));
    }
    cases.push(base.missing(seq, if seq == base.last() { "unfinished" } else { "derived" }));
    cases.push(base.doubled(seq, "derived"));
}

fn score<'a>(base: &'a Base, seq: u64, cases: &mut Vec<Case<'a>>) {
    let kind = "round_scored";
    let add = |path: &str, more: i64| {
        let was = base.body(seq).pointer(path).and_then(Value::as_i64);
        was.map(|was| base.replaced(seq, kind, "score", path, json!(was + more)))
    };
    let seat = base.players() - 1;
    cases.extend(add(&format!("/event/tricks/{seat}"), 1));
    cases.extend(add("/event/points/0", 1));
    cases.extend(add(&format!("/event/points/{seat}"), -1));
    cases.extend(add("/event/totals/0", 10));
    cases.extend(add(&format!("/event/calls/{seat}/tricks"), 1));
    cases.extend(add("/event/lines/0/0/points", 1));
    if base.event(seq)["calls"][0].is_object() {
        let was = &base.event(seq)["calls"][0]["kind"];
        let value = json!(if *was == "estimate" { "dash_call" } else { "estimate" });
        cases.push(base.replaced(seq, kind, "score", "/event/calls/0/kind", value));
    }
    let was = &base.event(seq)["lines"][0][0]["reason"];
    let value = json!(if *was == "kabooot" { "made" } else { "kabooot" });
    cases.push(base.replaced(seq, kind, "score", "/event/lines/0/0/reason", value));
    let both = |body: &mut Value, more: i64| {
        for list in ["points", "totals"] {
            let own = &mut body["event"][list][0];
            *own = json!(own.as_i64().expect("a number") + more);
        }
        body["event"]["lines"][0]
            .as_array_mut()
            .expect("lines")
            .push(json!({"reason": "made", "points": more}));
    };
    let what = "seat 0 gets ten points more, with a line for them";
    cases.push(base.forged(seq, kind, what, "score", |body| both(body, 10)));
    let what = "seat 0 has a line more, of no points";
    cases.push(base.forged(seq, kind, what, "score", |body| both(body, 0)));
    let what = "seat 0 has the factor 1";
    cases.push(base.forged(seq, kind, what, "score", |body| {
        let lines = body["event"]["lines"][0].as_array_mut().expect("lines");
        lines.push(json!({"reason": "multiplier", "factor": 1}));
    }));
    cases.push(base.forged(seq, kind, "the lines of two seats are swapped", "score", |body| {
        let lines = body["event"]["lines"].as_array_mut().expect("lines");
        let (one, other) = (lines[0].clone(), lines[1].clone());
        (lines[0], lines[1]) = if one == other { (json!([]), one) } else { (other, one) };
    }));
    let long = base.all(kind, true).into_iter().find_map(|seq| {
        let lines = base.event(seq)["lines"].as_array().expect("lines");
        let seat = lines.iter().position(|own| own.as_array().is_some_and(|own| own.len() > 1))?;
        Some((seq, seat))
    });
    if let Some((seq, seat)) = long {
        cases.push(base.forged(
            seq,
            kind,
            format!("the lines of seat {seat} are reversed"),
            "score",
            |body| {
                body["event"]["lines"][seat].as_array_mut().expect("lines").reverse();
            },
        ));
        cases.push(base.forged(seq, kind, format!("seat {seat} lacks its first line"), "score", |body| {
            body["event"]["lines"][seat].as_array_mut().expect("lines").remove(0);
        }));
    }
    cases.push(base.forged(seq, kind, "a With who is none", "score", |body| {
        let withs = &mut body["event"]["withs"];
        *withs = if *withs == json!([0]) { json!([1]) } else { json!([0]) };
    }));
    cases.push(base.forged(seq, kind, "the seats of withs are not in order", "form", |body| {
        body["event"]["withs"] = json!([1, 0]);
    }));
    cases.push(base.forged(seq, kind, "the totals of one seat are missing", "form", |body| {
        body["event"]["totals"].as_array_mut().expect("totals").pop();
    }));
    if let Some(&last) = base.all(kind, true).last().filter(|last| **last != seq) {
        let was = base.event(last)["totals"][1].as_i64().expect("a total");
        cases.push(base.replaced(last, kind, "score", "/event/totals/1", json!(was - 1)));
    }
}

fn standings<'a>(base: &'a Base, seq: u64, cases: &mut Vec<Case<'a>>) {
    let forged = |what: &str, rule: &'static str, edit: &dyn Fn(&mut Value)| {
        let mut change = base.change();
        change.edit(seq, |body| edit(&mut body["event"]["standings"]));
        let mut standings = base.event(seq)["standings"].clone();
        edit(&mut standings);
        change.standings(&standings);
        change.chain();
        change.found("game_finished", format!("event {seq}, game_finished, and the end: {what}"), seq, rule)
    };
    let add = |value: &mut Value, more: i64| *value = json!(value.as_i64().expect("a number") + more);
    cases.push(forged("the total of seat 0 is raised", "standings", &|list| add(&mut list[0]["total"], 1)));
    cases.push(forged("the rank of seat 0 is raised", "standings", &|list| add(&mut list[0]["rank"], 1)));
    cases.push(forged("the ranks are swapped", "standings", &|list| {
        let (one, other) = (list[0]["rank"].clone(), list[1]["rank"].clone());
        (list[0]["rank"], list[1]["rank"]) = (other, one);
    }));
    cases.push(forged("the seats are in another order", "standings", &|list| {
        list.as_array_mut().expect("standings").reverse();
    }));
}
