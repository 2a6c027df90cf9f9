//! Events that players lead: other actors, and commands that the rules do not allow.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::change::{Base, Cases};

pub fn cases(cases: &mut Cases<'_>) {
    let base = cases.base;
    // These two have no turn.
    let mut seen = BTreeSet::from(["player_forfeited", "stand_in_ended"]);
    for seq in 1..=base.last() {
        let (kind, actor) = (base.kind(seq), &base.body(seq)["actor"]);
        let in_person = *actor != "server" && actor.get("by").is_none();
        if in_person && !base.event(seq)["seat"].is_null() && seen.insert(kind) {
            actors(cases, kind, seq);
        }
    }
    choices(cases);
    cards(cases);
    absent(cases);
}

/// The same command by others.
fn actors<'a>(cases: &mut Cases<'a>, kind: &'a str, seq: u64) {
    let base = cases.base;
    let chair = if kind == "seat_chosen" { "place" } else { "seat" };
    let path = format!("/event/{chair}");
    let next = following(base, seq, chair);
    cases.replaced(seq, kind, "actor", &path, next.clone());
    if base.all("bot_seated", false).is_empty() {
        let what = "another player gives the command, out of turn";
        cases.forged(seq, kind, what, "command", |body| {
            body["event"][chair] = next.clone();
            body["actor"][chair] = next;
        });
    }
    cases.replaced(seq, kind, "derived", "/actor", json!("server"));
    cases.replaced(seq, kind, "actor", "/actor", by(base, seq, Some("bot")));
    let clock = if base.event(1)["turn_seconds"].is_null() { "actor" } else { "time" };
    cases.replaced(seq, kind, clock, "/actor", by(base, seq, Some("clock")));
    cases.replaced(seq, kind, "form", &path, json!(5));
    cases.forged(seq, kind, "an unknown member", "form", |body| body["event"]["note"] = json!(1));
    cases.forged(seq, kind, "the kind does not exist", "form", |body| {
        body["event"]["type"] = json!(format!("{kind}_twice"));
    });
    let what = "another command, which the phase does not allow";
    cases.forged(seq, kind, what, "command", |body| {
        let seat = body["actor"].get("seat").cloned().unwrap_or(json!(0));
        body["event"] = match kind {
            "seat_chosen" => json!({"type": "deck_cut", "seat": 0, "position": 7}),
            "card_played" => json!({"type": "passed", "seat": seat}),
            _ => json!({"type": "card_played", "seat": seat, "card": "2C"}),
        };
    });
    if kind == "card_played" && base.all("bot_seated", false).is_empty() {
        cases.forged(seq, kind, "a hint at a table of several people", "command", |body| {
            body["event"] = json!({"type": "hint_taken", "seat": body["actor"]["seat"]});
        });
    }
}

/// The seat or place after that of an event.
fn following(base: &Base, seq: u64, chair: &str) -> Value {
    json!((base.event(seq)[chair].as_u64().expect("a number") + 1) % base.players())
}

/// The actor of an event, who acts by a bot, by the clock, or in person.
fn by(base: &Base, seq: u64, by: Option<&str>) -> Value {
    let mut actor = base.body(seq)["actor"].clone();
    match by {
        Some(by) => actor["by"] = json!(by),
        None => drop(actor.as_object_mut().expect("an actor").remove("by")),
    }
    actor
}

/// Numbers and trumps that the rules do not allow.
fn choices(cases: &mut Cases<'_>) {
    let base = cases.base;
    let mut numbers = |kind: &'static str, path: &str, values: &[(i64, &'static str)]| {
        let seq = base.first(kind, false)?;
        values.iter().for_each(|(value, rule)| cases.replaced(seq, kind, rule, path, json!(value)));
        Some(seq)
    };
    numbers("deck_cut", "/event/position", &[(0, "command"), (52, "command"), (300, "form")]);
    let bid = [(0, "command"), (3, "command"), (14, "command"), (256, "form")];
    let bid =
        numbers("bid_made", "/event/tricks", if base.rules()["minimum_bid"] == 4 { &bid } else { &bid[2..] });
    let estimate = [(14, "command"), (-1, "form"), (256, "form")];
    let estimate = numbers("estimate_made", "/event/tricks", &estimate);
    if let Some(seq) = bid {
        cases.replaced(seq, "bid_made", "form", "/event/trump", json!("swords"));
        cases.replaced(seq, "bid_made", "form", "/event/trump", Value::Null);
        standing_bid(cases);
    }
    if let Some(seq) = estimate {
        let auction = base.rules()["plan"] == "turns" || base.first("auction_won", true).is_some();
        if auction && base.event(seq)["tricks"].as_u64() < Some(8) {
            cases.replaced(seq, "estimate_made", "command", "/event/trump", json!("clubs"));
        }
    }
    thirteen(cases);
}

/// A bid that does not beat the one before it.
fn standing_bid(cases: &mut Cases<'_>) {
    let base = cases.base;
    let bids = base.all("bid_made", false);
    let over = |seq: u64| ["auction_won", "auction_void", "round_dealt"].contains(&base.kind(seq));
    let pair = bids.windows(2).find(|pair| !(pair[0]..pair[1]).any(over));
    let Some(pair) = pair.filter(|_| base.rules()["auction"] == "ascending") else { return };
    let standing = base.event(pair[0]);
    for (what, less) in [("the standing bid again", 0), ("a lower bid", 1)] {
        let tricks = standing["tricks"].as_u64().expect("tricks") - less;
        if tricks >= 4 {
            cases.forged(pair[1], "bid_made", what, "command", |body| {
                body["event"]["tricks"] = json!(tricks);
                body["event"]["trump"] = standing["trump"].clone();
            });
        }
    }
}

/// The last estimate of a round that makes the total equal the tricks.
fn thirteen(cases: &mut Cases<'_>) {
    let base = cases.base;
    let Some((deal, began)) = base.first_play().filter(|_| base.rules()["forbid_thirteen"] == true) else {
        return;
    };
    let number = |seq: u64, name: &str| base.event(seq)[name].as_i64().expect("a number");
    let bid = (deal..began).rev().find(|seq| base.kind(*seq) == "auction_won");
    let estimates = base.all("estimate_made", false).into_iter().filter(|seq| (deal..began).contains(seq));
    let estimates: Vec<u64> = estimates.collect();
    let Some((&last, others)) = estimates.split_last() else { return };
    let called = others.iter().chain(&bid).map(|seq| number(*seq, "tricks")).sum::<i64>();
    let missing = number(deal, "hand_size") - called;
    if missing >= 0 {
        cases.replaced(last, "estimate_made", "command", "/event/tricks", json!(missing));
    }
}

/// Cards that the player does not hold, or may not play.
fn cards(cases: &mut Cases<'_>) {
    let base = cases.base;
    let Some((deal, began)) = base.first_play() else { return };
    let mut hands: Vec<Vec<String>> =
        serde_json::from_value(base.event(deal)["hands"].clone()).expect("hands");
    let mut led: Option<String> = None;
    let mut before: Option<String> = None;
    let mut refused = false;
    for seq in began + 1..=base.last() {
        match base.kind(seq) {
            "card_played" => {}
            "trick_taken" => led = None,
            "round_scored" => break,
            _ => continue,
        }
        let Some(card) = base.event(seq)["card"].as_str().map(str::to_owned) else { continue };
        let seat = base.event(seq)["seat"].as_u64().expect("a seat") as usize;
        let mut replaced = |what: &str, card: &str| {
            cases.forged(seq, "card_played", format!("{what}: {card}"), "command", |body| {
                body["event"]["card"] = json!(card);
            });
        };
        if seq == began + 1 {
            let other = (seat + 1) % hands.len();
            replaced("a card of another hand", &hands[other][0]);
            if base.rules()["jokers"] == 0 {
                replaced("a card that is not in the pack", "RJ");
            }
        } else if let Some(before) = before.take() {
            replaced("a card that was played before", &before);
        }
        if !refused
            && let Some(led) = &led
            && base.rules()["revokes"] == "refuse"
        {
            let suit = |card: &str| card.chars().last();
            let follows = hands[seat].iter().any(|held| suit(held) == suit(led));
            if let Some(off) = hands[seat].iter().find(|held| suit(held) != suit(led)).filter(|_| follows) {
                replaced("a card that does not follow suit", off);
                refused = true;
            }
        }
        if seq == began + 1 {
            cases.replaced(seq, "card_played", "form", "/event/card", json!("1S"));
            before = Some(card.clone());
        }
        hands[seat].retain(|held| *held != card);
        led.get_or_insert(card);
    }
}

/// Bots, the clock, and players who come back or leave.
fn absent(cases: &mut Cases<'_>) {
    let base = cases.base;
    let acts = |by: &str| (1..=base.last()).find(|seq| base.body(*seq)["actor"]["by"] == by);
    if let Some(seq) = acts("bot") {
        // A player for whom a bot stands in may act, a bot of the table may not act in person.
        if base.first("stand_in_began", true).is_none_or(|began| seq < began) {
            cases.replaced(seq, "bot", "actor", "/actor", by(base, seq, None));
        }
        cases.replaced(seq, "bot", "actor", "/actor/by", json!("clock"));
        cases.replaced(seq, "bot", "form", "/actor/by", json!("cat"));
        cases.replaced(seq, "bot", "form", "/actor/by", Value::Null);
    }
    if let Some(seq) = acts("clock") {
        // What follows a clock's act does not follow an act in person.
        let what = format!("event {seq}: the clock's act is given to the player");
        cases.changed("clock", what, seq + 1, "derived", |change| {
            change.edit(seq, |body| body["actor"] = by(base, seq, None));
            change.chain();
        });
        cases.replaced(seq, "clock", "actor", "/actor/by", json!("bot"));
    }
    let kind = "stand_in_ended";
    if let Some(seq) = base.first(kind, false) {
        cases.replaced(seq, kind, "actor", "/event/seat", following(base, seq, "seat"));
        cases.replaced(seq, kind, "command", "/actor", by(base, seq, Some("bot")));
        cases.doubled(seq, "command");
    }
    if let Some(seq) = base.first("hint_taken", false) {
        cases.doubled(seq, "command");
    }
    let kind = "player_forfeited";
    if let Some(seq) = base.first(kind, false) {
        cases.replaced(seq, kind, "command", "/event/seat", following(base, seq, "seat"));
        cases.replaced(seq, kind, "actor", "/actor", by(base, seq, Some("clock")));
        cases.replaced(seq, kind, "derived", "/actor", json!("server"));
        // After the last person the rules end the game.
        let is_last = seq < base.last() && base.kind(seq + 1) == "game_abandoned";
        cases.doubled(seq, if is_last { "derived" } else { "command" });
    }
}
