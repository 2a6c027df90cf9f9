//! Events that players lead: other actors, and commands that the rules do not allow.

use serde_json::{Value, json};

use super::change::{Base, Case};

const KINDS: [&str; 11] = [
    "seat_chosen",
    "deck_cut",
    "avoid_declared",
    "redeal_called",
    "blind_dashed",
    "auction_entered",
    "bid_made",
    "passed",
    "dash_called",
    "estimate_made",
    "card_played",
];

pub fn cases<'a>(base: &'a Base, _: &'a [Base]) -> Vec<Case<'a>> {
    let mut cases = Vec::new();
    for kind in KINDS {
        let in_person = |seq: &u64| base.body(*seq)["actor"].get("by").is_none();
        let Some(seq) = base.all(kind, false).into_iter().find(in_person) else { continue };
        actors(base, kind, seq, &mut cases);
    }
    choices(base, &mut cases);
    cards(base, &mut cases);
    absent(base, &mut cases);
    cases
}

/// The same command by others.
fn actors<'a>(base: &'a Base, kind: &'static str, seq: u64, cases: &mut Vec<Case<'a>>) {
    let chair = if kind == "seat_chosen" { "place" } else { "seat" };
    let own = base.event(seq)[chair].as_u64().expect("a number");
    let next = json!((own + 1) % base.players());
    cases.push(base.replaced(seq, kind, "actor", &format!("/event/{chair}"), next.clone()));
    let another = base.body(seq)["actor"].clone();
    let bots = base.all("bot_seated", false);
    if bots.is_empty() {
        cases.push(base.forged(
            seq,
            kind,
            "another player gives the command, out of turn",
            "command",
            |body| {
                body["event"][chair] = next.clone();
                body["actor"][chair] = next;
            },
        ));
    }
    cases.push(base.replaced(seq, kind, "derived", "/actor", json!("server")));
    let by = |by: &str| {
        let mut actor = another.clone();
        actor["by"] = json!(by);
        actor
    };
    cases.push(base.replaced(seq, kind, "actor", "/actor", by("bot")));
    let clock = if base.event(1)["turn_seconds"].is_null() { "actor" } else { "time" };
    cases.push(base.replaced(seq, kind, clock, "/actor", by("clock")));
    cases.push(base.replaced(seq, kind, "form", &format!("/event/{chair}"), json!(5)));
    cases.push(base.forged(seq, kind, "an unknown member", "form", |body| body["event"]["note"] = json!(1)));
    cases.push(base.forged(seq, kind, "the kind does not exist", "form", |body| {
        body["event"]["type"] = json!(format!("{kind}_twice"));
    }));
    cases.push(base.forged(
        seq,
        kind,
        "another command, which the phase does not allow",
        "command",
        |body| {
            let seat = body["actor"].get("seat").cloned().unwrap_or(json!(0));
            body["event"] = match kind {
                "seat_chosen" => json!({"type": "deck_cut", "seat": 0, "position": 7}),
                "card_played" => json!({"type": "passed", "seat": seat}),
                _ => json!({"type": "card_played", "seat": seat, "card": "2C"}),
            };
        },
    ));
}

/// Numbers and trumps that the rules do not allow.
fn choices<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    if let Some(&seq) = base.all("deck_cut", false).first() {
        for (position, rule) in [(0, "command"), (52, "command"), (300, "form")] {
            cases.push(base.replaced(seq, "deck_cut", rule, "/event/position", json!(position)));
        }
    }
    let bids = base.all("bid_made", false);
    if let Some(&seq) = bids.first() {
        for (tricks, rule) in [(0, "command"), (3, "command"), (14, "command"), (256, "form")] {
            cases.push(base.replaced(seq, "bid_made", rule, "/event/tricks", json!(tricks)));
        }
        cases.push(base.replaced(seq, "bid_made", "form", "/event/trump", json!("swords")));
        cases.push(base.replaced(seq, "bid_made", "form", "/event/trump", Value::Null));
    }
    if base.event(1)["ruleset"]["auction"] == "ascending"
        && let Some(pair) = bids.windows(2).find(|pair| !(pair[0]..pair[1]).any(|seq| over(base, seq)))
    {
        let standing = base.event(pair[0]).clone();
        for (what, tricks) in [("the standing bid again", 0), ("a lower bid", 1)] {
            let tricks = standing["tricks"].as_u64().expect("tricks") - tricks;
            if tricks < 4 {
                continue;
            }
            cases.push(base.forged(pair[1], "bid_made", what, "command", |body| {
                body["event"]["tricks"] = json!(tricks);
                body["event"]["trump"] = standing["trump"].clone();
            }));
        }
    }
    let estimates = base.all("estimate_made", false);
    if let Some(&seq) = estimates.first() {
        for (tricks, rule) in [(14, "command"), (-1, "form"), (256, "form")] {
            cases.push(base.replaced(seq, "estimate_made", rule, "/event/tricks", json!(tricks)));
        }
        let auction =
            base.event(1)["ruleset"]["plan"] == "turns" || !base.all("auction_won", true).is_empty();
        if auction && base.event(seq)["tricks"].as_u64() < Some(8) {
            cases.push(base.replaced(seq, "estimate_made", "command", "/event/trump", json!("clubs")));
        }
    }
    thirteen(base, cases);
}

/// Whether an event ends an auction.
fn over(base: &Base, seq: u64) -> bool {
    ["auction_won", "auction_void", "round_dealt"].iter().any(|kind| base.event(seq)["type"] == *kind)
}

/// The last estimate of a round that makes the total equal the tricks.
fn thirteen<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    if base.event(1)["ruleset"]["forbid_thirteen"] != true {
        return;
    }
    let Some(&began) = base.all("play_began", true).first() else { return };
    let deal = base.all("round_dealt", true).into_iter().rfind(|seq| *seq < began).expect("a deal");
    let size = base.event(deal)["hand_size"].as_i64().expect("a number");
    let bid = (deal..began).rev().find(|seq| base.event(*seq)["type"] == "auction_won");
    let estimates: Vec<u64> =
        base.all("estimate_made", false).into_iter().filter(|seq| (deal..began).contains(seq)).collect();
    let Some((&last, others)) = estimates.split_last() else { return };
    let tricks = |seq: u64| base.event(seq)["tricks"].as_i64().expect("a number");
    let missing = size - others.iter().map(|seq| tricks(*seq)).sum::<i64>() - bid.map_or(0, tricks);
    if missing >= 0 {
        cases.push(base.replaced(last, "estimate_made", "command", "/event/tricks", json!(missing)));
    }
}

/// Cards that the player does not hold, or may not play.
fn cards<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    let Some(&began) = base.all("play_began", true).first() else { return };
    let deal = base.all("round_dealt", true).into_iter().rfind(|seq| *seq < began).expect("a deal");
    let mut hands: Vec<Vec<String>> =
        serde_json::from_value(base.event(deal)["hands"].clone()).expect("hands");
    let mut led: Option<String> = None;
    let (mut foreign, mut refused, mut again) = (false, false, None::<String>);
    for seq in began + 1..=base.last() {
        let event = base.event(seq);
        if event["type"] == "trick_taken" {
            led = None;
        }
        if event["type"] != "card_played" {
            if event["type"] == "round_scored" {
                break;
            }
            continue;
        }
        let seat = event["seat"].as_u64().expect("a seat") as usize;
        let card = event["card"].as_str().expect("a card").to_owned();
        let replaced = |what: &str, card: &str| {
            base.forged(seq, "card_played", format!("{what}: {card}"), "command", |body| {
                body["event"]["card"] = json!(card)
            })
        };
        if !foreign {
            let other = (seat + 1) % hands.len();
            cases.push(replaced("a card of another hand", &hands[other][0]));
            if base.event(1)["ruleset"]["jokers"] == 0 {
                cases.push(replaced("a card that is not in the pack", "RJ"));
            }
            cases.push(base.replaced(seq, "card_played", "form", "/event/card", json!("1S")));
            foreign = true;
        }
        if let Some(played) = again.take() {
            cases.push(replaced("a card that was played before", &played));
        } else if seq == began + 2 {
            again = None;
        }
        if !refused
            && let Some(led) = &led
            && base.event(1)["ruleset"]["revokes"] == "refuse"
        {
            let suit = |card: &str| card.chars().last();
            let follows = hands[seat].iter().any(|held| suit(held) == suit(led));
            if let Some(off) = hands[seat].iter().find(|held| suit(held) != suit(led)).filter(|_| follows) {
                cases.push(replaced("a card that does not follow suit", off));
                refused = true;
            }
        }
        if seq == began + 1 {
            again = Some(card.clone());
        }
        hands[seat].retain(|held| *held != card);
        led.get_or_insert(card);
    }
}

/// Bots, the clock, and players who come back or leave.
fn absent<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    let acts = |by: &str| (1..=base.last()).find(|seq| base.body(*seq)["actor"]["by"] == by);
    let without = |seq: u64| {
        let mut actor = base.body(seq)["actor"].clone();
        actor.as_object_mut().expect("an actor").remove("by");
        actor
    };
    if let Some(seq) = acts("bot") {
        // A player for whom a bot stands in may act, one who has left may not.
        let left = base.all("player_forfeited", false).first().copied().filter(|_| base.name == "absences");
        let bot = |seq: &u64| base.body(*seq)["actor"]["by"] == "bot";
        let own = (left.unwrap_or(seq)..=base.last()).find(bot).expect("a bot's act");
        cases.push(base.replaced(own, "bot", "actor", "/actor", without(own)));
        cases.push(base.replaced(seq, "bot", "actor", "/actor/by", json!("clock")));
        cases.push(base.replaced(seq, "bot", "form", "/actor/by", json!("cat")));
        cases.push(base.replaced(seq, "bot", "form", "/actor/by", Value::Null));
    }
    if let Some(seq) = acts("clock") {
        // What follows a clock's act does not follow an act in person.
        let mut change = base.change();
        change.edit(seq, |body| body["actor"] = without(seq));
        change.chain();
        let what = format!("event {seq}: the clock's act is given to the player");
        cases.push(change.found("clock", what, seq + 1, "derived"));
        cases.push(base.replaced(seq, "clock", "actor", "/actor/by", json!("bot")));
    }
    if let Some(&seq) = base.all("stand_in_ended", false).first() {
        let own = base.event(seq)["seat"].as_u64().expect("a seat");
        let next = json!((own + 1) % base.players());
        cases.push(base.replaced(seq, "stand_in_ended", "actor", "/event/seat", next));
        let mut actor = base.body(seq)["actor"].clone();
        actor["by"] = json!("bot");
        cases.push(base.replaced(seq, "stand_in_ended", "command", "/actor", actor));
        cases.push(base.doubled(seq, "command"));
        if base.name == "stood-in" {
            let mut change = base.change();
            let last = base.last();
            change.insert(last + 1, base.line(seq as usize + 1));
            change.number();
            cases.push(change.found(
                "stand_in_ended",
                "the player returns after the end",
                last + 1,
                "command",
            ));
        }
    }
    if let Some(&seq) = base.all("player_forfeited", false).first() {
        let own = base.event(seq)["seat"].as_u64().expect("a seat");
        let next = json!((own + 1) % base.players());
        cases.push(base.replaced(seq, "player_forfeited", "command", "/event/seat", next));
        let mut actor = base.body(seq)["actor"].clone();
        actor["by"] = json!("clock");
        cases.push(base.replaced(seq, "player_forfeited", "actor", "/actor", actor));
        cases.push(base.replaced(seq, "player_forfeited", "derived", "/actor", json!("server")));
        cases.push(base.doubled(seq, "command"));
    }
}
