//! The vectors of docs/auditing.md equal what the code computes.

use std::collections::BTreeSet;

use estimation_engine::card::Card;
use estimation_engine::client_seed::ClientSeed;
use estimation_engine::hex::Hex;
use estimation_engine::round::DealNumber;
use estimation_engine::ruleset::{Dash, Ruleset, RulesetId};
use estimation_engine::score::{Call, CallKind, Course, Line, RoundResult, score};
use estimation_engine::seat::{BySeat, Seat};
use estimation_record::fairness::{ALGORITHM, DealKey, GameSeeds, ServerSeed};
use estimation_record::{GENESIS, GameEnd, canonical_json, chain};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;

use crate::documents::{Fence, fences, root};

/// The cells of the page's table whose first heading begins with `first`, without markup.
fn table(first: &str) -> Vec<Vec<String>> {
    let page = std::fs::read_to_string(root().join("docs/auditing.md")).unwrap();
    let heading = format!("| {first} |");
    let rows: Vec<Vec<String>> = page
        .lines()
        .skip_while(|line| !line.starts_with(&heading))
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect())
        .collect();
    assert!(rows.len() > 2, "no table {first}");
    rows
}

#[test]
fn score_lines_have_the_order_of_the_table() {
    for row in &table("`scoring` | the lines of a seat, in order")[2..] {
        let order: Vec<&str> = row[1].split(" · ").collect();
        let mut presets = RulesetId::ALL.into_iter().map(Ruleset::preset);
        let mut rules =
            presets.find(|rules| serde_json::to_value(rules.scoring).unwrap() == row[0].as_str()).unwrap();
        rules.with_penalty = true;
        let mut seen = vec![false; order.len()];
        for mut result in rounds() {
            // Without void rounds there is no carry.
            result.carry = if rules.void_unmade { result.carry } else { 1 };
            for (_, lines) in score(&rules, &result).lines.iter() {
                let mut from = 0;
                for line in lines.iter() {
                    let (Line::Points { reason, .. } | Line::Factor { reason, .. }) = line;
                    let name = serde_json::to_value(reason).unwrap();
                    let name = name.as_str().unwrap();
                    if ["no_winner", "folded"].contains(&name) {
                        assert_eq!(lines.iter().count(), 1, "{name} stands alone");
                        continue;
                    }
                    let at = order[from..].iter().position(|listed| *listed == name);
                    let at = from + at.unwrap_or_else(|| panic!("{name} in {lines:?} of {}", row[0]));
                    seen[at] = true;
                    from = at + 1;
                }
            }
        }
        let unseen: Vec<&str> =
            order.iter().zip(seen).filter(|(_, seen)| !seen).map(|(name, _)| *name).collect();
        assert!(unseen.is_empty(), "{unseen:?} of {} never stand on a sheet", row[0]);
    }
}

/// The page names the lines that can have no points.
#[test]
fn few_score_lines_have_no_points() {
    let mut found = BTreeSet::new();
    for mut rules in RulesetId::ALL.map(Ruleset::preset) {
        rules.with_penalty = true;
        let scoring = serde_json::to_value(rules.scoring).unwrap().as_str().unwrap().to_owned();
        let possible = |result: &RoundResult| {
            let Course::Played { calls, .. } = &result.course else { return true };
            calls.values().all(|call| match call.kind {
                CallKind::Bid => call.tricks > 0,
                CallKind::Estimate => true,
                CallKind::DashCall => rules.dash == Dash::Call,
                CallKind::BlindDash => rules.dash == Dash::Blind,
            })
        };
        for result in rounds().filter(possible) {
            for line in score(&rules, &result).lines.values().flat_map(|lines| lines.iter()) {
                if let Line::Points { reason, points: 0 } = line {
                    found.insert(format!(
                        "{scoring} {}",
                        serde_json::to_value(reason).unwrap().as_str().unwrap()
                    ));
                }
            }
        }
    }
    let expected = [
        "difference tricks",
        "penalty made",
        "roles call",
        "roles no_winner",
        "round_number no_winner",
        "squares no_winner",
    ];
    assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
}

/// Rounds of every kind, possible or not. Only their score lines matter.
fn rounds() -> impl Iterator<Item = RoundResult> {
    const CALLS: [u8; 5] = [0, 2, 5, 8, 13];
    let seats = |pick: &dyn Fn(usize) -> u8| BySeat::from_fn(4, |seat: Seat| pick(seat.index()));
    (0..CALLS.len().pow(4) * 16 * 6).map(move |number| {
        let (calls, number) = (number % 625, number / 625);
        let (made, variant) = (number % 16, number / 16);
        let declarer = (variant % 2 == 0).then_some(Seat::new(0));
        let zero = [CallKind::Estimate, CallKind::DashCall, CallKind::BlindDash][variant / 2];
        let called = seats(&|seat| CALLS[calls / CALLS.len().pow(seat as u32) % CALLS.len()]);
        let tricks = seats(&|seat| {
            let call = called[Seat::new(seat as u8)];
            if made >> seat & 1 == 1 { call } else { call.abs_diff(1) }
        });
        let calls = called.map(|seat, &tricks| {
            let kind = if declarer == Some(seat) {
                CallKind::Bid
            } else if tricks == 0 {
                zero
            } else {
                CallKind::Estimate
            };
            Call { kind, tricks }
        });
        RoundResult {
            round: if declarer.is_some() { 3 } else { 15 },
            carry: 1 + made as u32 % 2,
            first_speaker: Seat::new(0),
            course: Course::Played { declarer, calls, tricks },
        }
    })
}

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
    assert_eq!(said["alg"], ALGORITHM);
    let seeds: Vec<Option<ClientSeed>> = serde_json::from_value(said["seeds"].clone()).unwrap();
    let number = DealNumber { round: 7, attempt: 2 };
    let mut cards: Vec<Card> = (0..52).filter_map(Card::from_index).collect();
    let seeds = GameSeeds {
        game: said["game"].as_str().unwrap().parse().unwrap(),
        client_seeds: seeds.iter().map(Option::as_ref).collect(),
    };
    DealKey::derive(&ServerSeed::from_bytes(bytes), &seeds, number).shuffle(&mut cards);
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
}
