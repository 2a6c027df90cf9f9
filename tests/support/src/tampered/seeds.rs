//! Commitments to client seeds, and the openings that follow a request for the start.

use estimation_record::RecordTime;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::change::{Base, Case};

pub fn cases<'a>(base: &'a Base, _: &'a [Base]) -> Vec<Case<'a>> {
    let mut cases = Vec::new();
    settings(base, &mut cases);
    commitments(base, &mut cases);
    openings(base, &mut cases);
    failures(base, &mut cases);
    starts(base, &mut cases);
    cases
}

fn first(base: &Base, kind: &str, derived: bool) -> u64 {
    base.all(kind, derived)[0]
}

fn settings<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    let kind = "game_created";
    cases.push(base.forged(1, kind, "opening_seconds is missing", "form", |body| {
        body["event"].as_object_mut().expect("an event").remove("opening_seconds");
    }));
    cases.push(base.replaced(1, kind, "form", "/event/opening_seconds", json!(4)));
    cases.push(base.replaced(1, kind, "form", "/event/opening_seconds", json!(121)));
    cases.push(base.replaced(1, kind, "form", "/event/opening_seconds", Value::Null));
    cases.push(base.replaced(1, kind, "deal", "/event/algorithm", json!("estimation/deal/v1")));
    cases.push(base.replaced(1, kind, "deal", "/event/algorithm", json!("estimation/deal/v3")));
    let mut change = base.change();
    change.edit(1, |body| body["event"]["opening_seconds"] = json!(60));
    change.chain();
    let failed = first(base, "opening_failed", true);
    cases.push(change.found(kind, "the opening ends before its time", failed, "time"));
}

fn commitments<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    let kind = "seed_committed";
    let all = base.all(kind, false);
    let seq = all[0];
    cases.push(base.replaced(seq, kind, "command", "/actor", json!({"place": 1})));
    cases.push(base.replaced(seq, kind, "command", "/event/place", json!(2)));
    cases.push(base.replaced(seq, kind, "derived", "/actor", json!("server")));
    cases.push(base.replaced(seq, kind, "actor", "/actor", json!({"by": "bot", "place": 0})));
    cases.push(base.replaced(seq, kind, "actor", "/actor", json!({"seat": 0})));
    cases.push(base.replaced(seq, kind, "form", "/event/place", json!(5)));
    cases.push(base.replaced(seq, kind, "form", "/event/commitment", json!("AB".repeat(32))));
    cases.push(base.replaced(seq, kind, "form", "/event/commitment", json!("ab".repeat(31))));
    // Another commitment, which the seed does not open; and none at all.
    let opened = base.all("seed_opened", false);
    let committed = |seq: u64| {
        let place = &base.event(seq)["place"];
        let before = all.iter().rev().find(|&&own| own < seq && base.event(own)["place"] == *place);
        *before.expect("a commitment")
    };
    let (opening, own) = (opened[0], committed(opened[0]));
    for (what, commitment) in [("another commitment", json!("ab".repeat(32))), ("no commitment", Value::Null)]
    {
        let mut change = base.change();
        change.edit(own, |body| body["event"]["commitment"] = commitment);
        change.chain();
        cases.push(change.found(kind, format!("event {own}: {what}"), opening, "command"));
    }
    // The player who goes without a seed has committed, and does not open it.
    let without = all.iter().find(|&&seq| base.event(seq)["commitment"].is_null());
    let without = *without.expect("a player without a seed");
    let mut change = base.change();
    change.edit(without, |body| body["event"]["commitment"] = json!("ab".repeat(32)));
    change.chain();
    let started = first(base, "game_started", true);
    cases.push(change.found(kind, "a game starts without a seed that was committed to", started, "derived"));
    // A commitment made void is not renewed.
    let began = base.all("opening_began", false);
    let renewed = all.iter().rev().find(|&&seq| seq < began[1]);
    let mut change = base.change();
    change.remove(*renewed.expect("a commitment"));
    change.number();
    cases.push(change.found(kind, "a void commitment is not renewed", began[1] - 1, "command"));
}

fn openings<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    let kind = "opening_began";
    let began = first(base, kind, false);
    cases.push(base.replaced(began, kind, "command", "/actor", json!({"place": 1})));
    cases.push(base.replaced(began, kind, "derived", "/actor", json!("server")));
    cases.push(base.missing(began, "command"));
    cases.push(base.doubled(began, "command"));
    let kind = "seed_opened";
    let opened = first(base, kind, false);
    cases.push(base.replaced(opened, kind, "command", "/actor", json!({"place": 0})));
    cases.push(base.replaced(opened, kind, "command", "/event/place", json!(0)));
    cases.push(base.replaced(opened, kind, "command", "/event/client_seed", json!("ab".repeat(16))));
    cases.push(base.replaced(opened, kind, "form", "/event/client_seed", json!("AB".repeat(16))));
    cases.push(base.replaced(opened, kind, "form", "/event/client_seed", Value::Null));
    cases.push(base.replaced(opened, kind, "derived", "/actor", json!("server")));
    cases.push(base.doubled(opened, "command"));
}

fn failures<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    let kind = "opening_failed";
    let failed = base.all(kind, true);
    let (late, left) = (failed[0], failed[1]);
    let began = first(base, "opening_began", false);
    let at = base.body(began)["at"].as_str().expect("a time").parse::<RecordTime>().expect("a time");
    let seconds = base.event(1)["opening_seconds"].as_i64().expect("a number");
    let early = at.plus(SignedDuration::from_secs(seconds)).plus(SignedDuration::from_millis(-1));
    cases.push(base.replaced(late, kind, "time", "/at", json!(early.to_string())));
    cases.push(base.replaced(late, kind, "derived", "/event/missing", json!([])));
    cases.push(base.replaced(late, kind, "derived", "/event/missing", json!([1])));
    cases.push(base.replaced(late, kind, "derived", "/event/missing", json!([0, 1])));
    cases.push(base.replaced(late, kind, "form", "/event/missing", Value::Null));
    cases.push(base.replaced(late, kind, "command", "/actor", json!({"place": 0})));
    cases.push(base.replaced(late, kind, "form", "/event/commitment", json!("AB".repeat(32))));
    cases.push(base.missing(late, "command"));
    cases.push(base.doubled(late, "derived"));
    cases.push(base.replaced(left, kind, "derived", "/event/missing", json!([1])));
    cases.push(base.replaced(left, kind, "actor", "/actor", json!({"place": 1})));
    cases.push(base.missing(left, "derived"));
    let mut change = base.change();
    change.edit(left, |body| body["event"]["commitment"] = json!("ab".repeat(32)));
    change.chain();
    cases.push(change.found("seed", "another commitment of the server", base.last(), "commitment"));
    let seed = json!("ab".repeat(32));
    cases.push(base.replaced(base.last(), "seed", "commitment", "/event/server_seed", seed));
}

fn starts<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    let kind = "game_started";
    let started = first(base, kind, true);
    cases.push(base.replaced(started, kind, "actor", "/actor", json!({"place": 1})));
    cases.push(base.replaced(started, kind, "derived", "/event/client_seeds/0", json!("ab".repeat(16))));
    cases.push(base.replaced(started, kind, "derived", "/event/client_seeds/0", Value::Null));
    cases.push(base.replaced(started, kind, "derived", "/event/client_seeds/2", json!("ab".repeat(16))));
    cases.push(base.missing(started, "derived"));
}
