//! The vectors of docs/auditing.md are what the code computes.

use estimation::application::fairness::{DealKey, ServerSeed};
use estimation::application::record::{Checkpoint, GENESIS, GameEnd, canonical_json, chain};
use estimation::engine::card::Card;
use estimation::engine::chance::{ClientSeed, DealNumber, Hex};
use estimation::engine::ruleset::RulesetId;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;

use crate::documents::{Fence, fences, root};

/// The fenced blocks of the page, in order.
fn vectors() -> Vec<Fence> {
    let page = std::fs::read_to_string(root().join("docs/auditing.md")).unwrap();
    fences(&page).into_iter().filter(|fence| fence.info != "sh").collect()
}

#[test]
fn the_events_are_canonical_and_have_these_hashes() {
    let [bodies, hashes, ..] = &vectors()[..] else { panic!("no vectors") };
    let mut hash = GENESIS;
    for (body, expected) in bodies.lines.iter().zip(&hashes.lines) {
        let value: Value = serde_json::from_str(body).unwrap();
        assert_eq!(canonical_json(&value).unwrap(), *body);
        hash = chain(hash, body.as_bytes());
        assert_eq!(hex::encode(hash), *expected);
    }
}

#[test]
fn the_deal_follows_from_the_seeds() {
    let fences = vectors();
    let [seed, statement, key, pack] = [2, 3, 4, 5].map(|index| fences[index].lines[0].clone());
    let Hex(bytes) = Hex::<32>::parse(&seed).unwrap();
    let mut mac = <Hmac<sha2::Sha256> as KeyInit>::new_from_slice(&bytes).unwrap();
    mac.update(statement.as_bytes());
    assert_eq!(hex::encode(mac.finalize().into_bytes()), key);

    let said: Value = serde_json::from_str(&statement).unwrap();
    assert_eq!(canonical_json(&said).unwrap(), statement);
    let seeds: Vec<Option<ClientSeed>> = serde_json::from_value(said["seeds"].clone()).unwrap();
    let number = DealNumber { round: 7, attempt: 2 };
    let mut cards: Vec<Card> = (0..52).filter_map(Card::from_index).collect();
    let game = said["game"].as_str().unwrap().parse().unwrap();
    DealKey::derive(&ServerSeed::from_bytes(bytes), game, &seeds, number).shuffle(&mut cards);
    let cards: Vec<String> = cards.iter().map(Card::to_string).collect();
    assert_eq!(cards.join(" "), pack);
}

#[test]
fn the_statement_is_what_is_signed() {
    let fences = vectors();
    let head = Hex::parse(&fences[1].lines[1]).unwrap();
    let game = "019b7a00-0000-7000-8000-000000000001".parse().unwrap();
    let end = GameEnd { game, ruleset: RulesetId::Squares, head, events: 2, standings: None };
    assert_eq!(String::from_utf8(end.statement().unwrap()).unwrap(), fences[6].lines.join("\n"));
    let checkpoint = Checkpoint { games: 0, head, at: "2026-01-01T00:00:00.000Z".parse().unwrap() };
    assert!(checkpoint.statement().unwrap().starts_with(b"estimation/checkpoint/v1\n{"));
}
