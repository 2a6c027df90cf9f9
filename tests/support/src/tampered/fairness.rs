//! Seeds, commitments, salts and cards.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::change::{Base, Case};
use super::sound::other_seed;

pub fn cases<'a>(base: &'a Base, _: &'a [Base]) -> Vec<Case<'a>> {
    let last = base.last();
    let seed = other_seed().to_string();
    let mut cases = vec![
        base.replaced(last, "seed", "commitment", "/event/server_seed", json!(seed)),
        base.replaced(last, "seed", "form", "/event/server_seed", json!("5e".repeat(31))),
        base.replaced(last, "seed", "form", "/event/server_seed", json!("5E".repeat(32))),
    ];
    let mut change = base.change();
    change.edit(1, |body| body["event"]["commitment"] = json!("ab".repeat(32)));
    change.chain();
    cases.push(change.found("seed", "event 1: another commitment", last, "commitment"));
    cases.push(base.replaced(1, "seed", "deal", "/event/algorithm", json!("estimation/deal/v0")));
    let first = ["seats_drawn", "round_dealt"].into_iter().flat_map(|kind| base.all(kind, true)).min();
    if let Some(first) = first {
        let commitment = hex::encode(Sha256::digest(other_seed().0));
        let mut change = base.change();
        change.edit(1, |body| body["event"]["commitment"] = json!(commitment));
        change.edit(last, |body| body["event"]["server_seed"] = json!(seed));
        change.chain();
        cases.push(change.found("seed", "another server seed with its commitment", first, "deal"));
        let started = base.all("game_started", false)[0];
        let mut change = base.change();
        change.edit(1, |body| body["event"]["client_seed"] = json!("b2".repeat(16)));
        change.edit(started, |body| body["event"]["client_seeds"][0] = json!("b2".repeat(16)));
        change.chain();
        cases.push(change.found(
            "seed",
            "another client seed of the host, from the first event on",
            first,
            "deal",
        ));
        let mut change = base.change();
        change.edit(1, |body| body["event"]["client_seed"] = Value::Null);
        change.edit(started, |body| body["event"]["client_seeds"][0] = Value::Null);
        change.chain();
        cases.push(change.found("seed", "the client seed of the host is left out", first, "deal"));
    }
    if let Some(&drawn) = base.all("seats_drawn", true).first() {
        cases.push(base.forged(drawn, "cards", "two cards are swapped", "deal", |body| {
            body["event"]["cards"].as_array_mut().expect("cards").swap(0, 1);
        }));
        cases.push(base.forged(drawn, "cards", "a card is there twice", "deal", |body| {
            body["event"]["cards"][1] = body["event"]["cards"][0].clone();
        }));
    }
    cards(base, &mut cases);
    cases
}

fn cards<'a>(base: &'a Base, cases: &mut Vec<Case<'a>>) {
    let deals = base.all("round_dealt", true);
    let Some(&deal) = deals.first() else { return };
    let forged = |seq: u64, what: &str, rule: &'static str, edit: &dyn Fn(&mut Value)| {
        base.forged(seq, "cards", what, rule, |body| edit(&mut body["event"]))
    };
    let hands = |event: &mut Value| event["hands"].as_array_mut().expect("hands").clone();
    cases.push(forged(deal, "two hands are swapped", "deal", &|event| {
        event["hands"].as_array_mut().expect("hands").swap(0, 1);
    }));
    cases.push(forged(deal, "a hand is missing", "form", &|event| {
        event["hands"].as_array_mut().expect("hands").pop();
    }));
    cases.push(forged(deal, "a card is missing", "deal", &|event| {
        event["hands"][0].as_array_mut().expect("cards").pop();
    }));
    cases.push(forged(deal, "two players have the same hand", "deal", &|event| {
        event["hands"][1] = hands(event)[0].clone();
    }));
    // In the last deal, so that no later play shows the change.
    let &last = deals.last().expect("a deal");
    if last != deal {
        cases.push(forged(last, "two hands are swapped", "deal", &|event| {
            event["hands"].as_array_mut().expect("hands").swap(0, 1);
        }));
        let salt = base.event(deal)["salt"].clone();
        cases.push(base.replaced(last, "salt", "salt", "/event/salt", salt));
    }
    if base.event(last)["hand_size"].as_u64() > Some(1) {
        cases.push(forged(last, "the cards of a hand are not in order", "form", &|event| {
            event["hands"][0].as_array_mut().expect("cards").reverse();
        }));
        cases.push(forged(last, "a hand has a card twice", "form", &|event| {
            let hand = event["hands"][0].as_array_mut().expect("cards");
            hand[1] = hand[0].clone();
        }));
    }
    cases.push(base.replaced(deal, "salt", "form", "/event/salt", json!("AB".repeat(16))));
    cases.push(base.replaced(deal, "salt", "form", "/event/salt", json!("ab".repeat(15))));
    cases.push(base.replaced(deal, "salt", "form", "/event/salt", Value::Null));
}
