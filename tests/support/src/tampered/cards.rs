//! Seeds, commitments, salts and cards.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::apply::digest;
use super::change::Cases;

/// The server seed of a forged history.
const OTHER_SEED: [u8; 32] = [0x5e; 32];

pub fn cases(cases: &mut Cases<'_>) {
    let base = cases.base;
    if base.is_over() {
        seeds(cases);
    }
    if let Some(drawn) = base.first("seats_drawn", true) {
        cases.forged(drawn, "cards", "two cards are swapped", "deal", |body| {
            body["event"]["cards"].as_array_mut().expect("cards").swap(0, 1);
        });
        cases.forged(drawn, "cards", "a card is there twice", "deal", |body| {
            body["event"]["cards"][1] = body["event"]["cards"][0].clone();
        });
    }
    let deals = base.all("round_dealt", true);
    let (Some(&first), Some(&last)) = (deals.first(), deals.last()) else { return };
    let mut forged = |seq: u64, what: &str, rule: &'static str, edit: &dyn Fn(&mut Vec<Value>)| {
        cases.forged(seq, "cards", what, rule, |body| {
            edit(body["event"]["hands"].as_array_mut().expect("hands"));
        });
    };
    let hand = |hands: &mut [Value], edit: &dyn Fn(&mut Vec<Value>)| {
        edit(hands[0].as_array_mut().expect("cards"));
    };
    forged(first, "two hands are swapped", "deal", &|hands| hands.swap(0, 1));
    forged(first, "a hand is missing", "form", &|hands| drop(hands.pop()));
    forged(first, "a card is missing", "deal", &|hands| hand(hands, &|cards| drop(cards.pop())));
    forged(first, "two players have the same hand", "deal", &|hands| hands[1] = hands[0].clone());
    // In the last deal, so that no later play shows the change.
    if base.event(last)["hand_size"].as_u64() > Some(1) {
        forged(last, "the cards of a hand are not in order", "form", &|hands| {
            hand(hands, &|cards| cards.reverse());
        });
        forged(last, "a hand has a card twice", "form", &|hands| {
            hand(hands, &|cards| cards[1] = cards[0].clone());
        });
    }
    if last != first {
        forged(last, "two hands are swapped", "deal", &|hands| hands.swap(0, 1));
        let salt = base.event(first)["salt"].clone();
        cases.replaced(last, "salt", "salt", "/event/salt", salt);
    }
    for salt in [json!("AB".repeat(16)), json!("ab".repeat(15)), Value::Null] {
        cases.replaced(first, "salt", "form", "/event/salt", salt);
    }
}

fn seeds(cases: &mut Cases<'_>) {
    let base = cases.base;
    let last = base.last();
    let seed = hex::encode(OTHER_SEED);
    let path = "/event/server_seed";
    cases.replaced(last, "seed", "commitment", path, json!(seed));
    cases.replaced(last, "seed", "form", path, json!("5e".repeat(31)));
    cases.replaced(last, "seed", "form", path, json!("5E".repeat(32)));
    if base.first("opening_failed", true).is_none() {
        cases.changed("seed", "event 1: another commitment", last, "commitment", |change| {
            change.edit(1, |body| body["event"]["commitment"] = json!("ab".repeat(32)));
            change.chain();
        });
    }
    cases.replaced(1, "seed", "deal", "/event/algorithm", json!("estimation/deal/v0"));
    let started = base.first("game_started", false).or(base.first("game_started", true));
    let Some(started) = started else { return };
    let dealt = ["seats_drawn", "round_dealt"].into_iter().filter_map(|kind| base.first(kind, true)).min();
    let dealt = dealt.expect("a deal");
    cases.changed("seed", "another server seed with its commitment", dealt, "deal", |change| {
        change.edit(1, |body| body["event"]["commitment"] = json!(hex::encode(Sha256::digest(OTHER_SEED))));
        change.edit(last, |body| body["event"]["server_seed"] = json!(seed));
        change.chain();
    });
    let Some(&opened) = base.all("seed_opened", false).last() else { return };
    let place = base.event(opened)["place"].clone();
    let commits = |seq: &u64| base.event(*seq)["place"] == place;
    let Some(committed) = base.all("seed_committed", false).into_iter().rfind(commits) else { return };
    let other = "b2".repeat(16);
    cases.changed("seed", "another client seed, from its commitment on", dealt, "deal", |change| {
        change.edit(committed, |body| body["event"]["commitment"] = json!(digest(&other)));
        change.edit(opened, |body| body["event"]["client_seed"] = json!(other));
        change.edit(started, |body| {
            body["event"]["client_seeds"][place.as_u64().expect("a place") as usize] = json!(other);
        });
        change.chain();
    });
}
