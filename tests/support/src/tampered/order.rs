//! The chain, and events that are missing, moved, doubled or from another game.

use serde_json::{Value, json};

use super::change::{Base, Case};

pub fn cases<'a>(base: &'a Base, bases: &'a [Base]) -> Vec<Case<'a>> {
    if !["cancelled", "clock", "nineteen", "squares", "kabooot"].contains(&base.name) {
        return Vec::new();
    }
    let (last, middle) = (base.last(), base.last() / 2);
    let hash = |seq: u64| {
        let line: Value = serde_json::from_str(base.line(seq as usize + 1)).expect("a line");
        line["event"]["hash"].as_str().expect("a hash").to_owned()
    };
    let mut cases = Vec::new();
    for seq in [1, middle, last] {
        let mut change = base.change();
        change.edit(seq, |body| body["at"] = json!("2026-06-01T00:00:00.000Z"));
        cases.push(change.found(
            "chain",
            format!("event {seq} has another time; the chain is not made again"),
            seq,
            "chain",
        ));
        let mut change = base.change();
        change.line(seq, &hash(seq), &"ab".repeat(32));
        cases.push(change.found("chain", format!("event {seq} has another hash"), seq, "chain"));
    }
    let mut change = base.change();
    change.line(middle, &hash(middle), &hash(middle).to_uppercase());
    cases.push(change.found(
        "chain",
        format!("event {middle}: upper-case digits of the hash"),
        middle,
        "form",
    ));
    let mut change = base.change();
    change.line(middle, &hash(middle), &hash(middle - 1));
    cases.push(change.found(
        "chain",
        format!("event {middle} has the hash of the event before"),
        middle,
        "chain",
    ));
    for seq in [2, middle, last] {
        let mut change = base.change();
        change.remove(seq);
        let (rule, at) = if seq == last { ("head", last - 1) } else { ("order", seq) };
        cases.push(change.found(
            "missing",
            format!("event {seq} is missing; nothing else is changed"),
            at,
            rule,
        ));
        let mut change = base.change();
        change.insert(seq + 1, base.line(seq as usize + 1));
        cases.push(change.found(
            "doubled",
            format!("event {seq} is there twice; nothing else is changed"),
            seq,
            "chain",
        ));
    }
    let mut change = base.change();
    change.remove(middle);
    change.insert(middle + 1, base.line(middle as usize + 1));
    cases.push(change.found(
        "order",
        format!("events {middle} and {} are swapped", middle + 1),
        middle,
        "order",
    ));
    let mut change = base.change();
    change.edit(middle, |body| body["seq"] = json!(middle + 1));
    change.chain();
    cases.push(change.found("order", format!("event {middle} says that it is the next"), middle, "order"));
    let mut change = base.change();
    change.line(middle, &format!("\"seq\":{middle}"), &format!("\"seq\":{}", middle + 1));
    change.chain();
    cases.push(change.found(
        "order",
        format!("the line of event {middle} has the next number"),
        middle,
        "order",
    ));
    for (seq, number) in [(middle, "-1"), (middle, "1.5"), (middle, "9007199254740992"), (middle, "\"7\"")] {
        let mut change = base.change();
        change.line(seq, &format!("\"seq\":{seq}"), &format!("\"seq\":{number}"));
        cases.push(change.found(
            "encoding",
            format!("the line of event {seq} has the number {number}"),
            seq,
            "form",
        ));
    }
    let mut change = base.change();
    change.line(middle, "\"body\":\"", "\"body\":{\"actor\":\"");
    cases.push(change.found("encoding", format!("the line of event {middle} is not JSON"), middle, "form"));
    let mut change = base.change();
    change.line(middle, "{\"seq\"", "{\"note\":1,\"seq\"");
    cases.push(change.found(
        "encoding",
        format!("the line of event {middle} has an unknown member"),
        middle,
        "form",
    ));
    let mut change = base.change();
    change.lines(middle as usize + 2, (last - middle + 1) as usize, &[]);
    cases.push(change.found(
        "missing",
        format!("the history breaks off after event {middle}"),
        middle + 1,
        "unfinished",
    ));
    let mut change = base.change();
    change.lines(middle as usize + 2, (last - middle) as usize, &[]);
    if !base.all("game_finished", true).is_empty() {
        change.standings(&Value::Null);
    }
    change.chain();
    cases.push(change.found(
        "missing",
        format!("the events after {middle} are missing, and the end is made to fit"),
        middle + 1,
        "unfinished",
    ));
    foreign(base, bases, &mut cases);
    cases
}

/// Events of another game, as they are and with the id of this game.
fn foreign<'a>(base: &'a Base, bases: &[Base], cases: &mut Vec<Case<'a>>) {
    let other = bases.iter().find(|other| other.name == "double-risk").expect("another history");
    let seq = base.last();
    let from = other.last() - 1;
    let mut change = base.change();
    change.insert(seq, other.line(from as usize + 1));
    change.number();
    change.chain();
    cases.push(change.found(
        "foreign",
        format!("event {from} of another game before event {seq}"),
        seq,
        "order",
    ));
    // A forged card of another game: nobody must act, or another player must.
    let card = other.all("card_played", false)[0];
    let started = base.all("game_started", false).first().copied().unwrap_or(1);
    let mut change = base.change();
    change.insert(started + 1, other.line(card as usize + 1));
    change.edit(started + 1, |body| {
        body["game"] = base.body(1)["game"].clone();
        body["at"] = base.body(started)["at"].clone();
    });
    change.number();
    change.chain();
    let rule = match other.event(card)["seat"].as_u64() {
        Some(seat) if seat >= base.players() => "form",
        _ if started == 1 => "actor",
        _ => "derived",
    };
    cases.push(change.found(
        "foreign",
        format!("event {card} of another game after event {started}, with this game's id"),
        started + 1,
        rule,
    ));
}
