//! The calculator: valid requests, and every score of the engine is a valid answer.

use estimation::engine::ruleset::{Ruleset, RulesetId};
use estimation::engine::score::{RoundScore, score};
use estimation::http::contract::{ScoreAnswer, ScoreRequest, SeatNumber};
use estimation_test_support::{Random, Table, random_variant};
use serde_json::{Value, json};

use super::{Mirror, components};

fn example() -> Value {
    json!({
        "options": {}, "players": 4, "round": 12, "carry": 1, "first_speaker": 3, "bidder": 3,
        "calls": [
            {"kind": "estimate", "tricks": 4}, {"kind": "estimate", "tricks": 4},
            {"kind": "estimate", "tricks": 2}, {"kind": "bid", "tricks": 4},
        ],
        "tricks": [3, 4, 2, 4], "folded": false, "revokes": [2],
    })
}

#[test]
fn optional_fields_of_a_round_may_be_given() {
    let mut mirror = Mirror::default();
    mirror.holds::<ScoreRequest>(&example());
    let least = json!({"round": 1, "calls": [null, null, null, null], "tricks": [0, 0, 0, 0]});
    let read: ScoreRequest = serde_json::from_value(least).unwrap();
    assert_eq!((read.carry, read.folded, read.bidder, read.options.len()), (1, false, None, 0));
    assert!(
        serde_json::from_value::<ScoreRequest>(json!({"round": 1, "calls": [], "tricks": [], "card": 1}))
            .is_err()
    );
}

#[test]
fn a_null_bidder_differs_from_a_missing_one() {
    let mut mirror = Mirror::default();
    let mut body = example();
    for (given, read) in [(json!(null), Some(None)), (json!(2), Some(Some(SeatNumber(2))))] {
        body["bidder"] = given;
        assert_eq!(mirror.holds::<ScoreRequest>(&body).bidder, read);
    }
    body.as_object_mut().unwrap().remove("bidder");
    assert_eq!(mirror.holds::<ScoreRequest>(&body).bidder, None);
}

#[test]
fn every_score_of_a_random_game_is_an_answer() {
    let mut mirror = Mirror::default();
    let mut random = Random(3);
    for seed in 0..40 {
        let mut table = Table::start(random_variant(&mut random), seed);
        table.play_until(&mut Random(seed), |_| false);
        for result in &table.game.sheet.rounds {
            let RoundScore { points, bidder, withs, risk, multiplier, next_carry, lines } =
                score(table.game.rules(), result);
            mirror.holds::<ScoreAnswer>(&json!({
                "points": points, "bidder": bidder, "withs": withs, "risk": risk, "multiplier": multiplier,
                "next_carry": next_carry, "lines": lines, "penalties": [],
            }));
        }
    }
}

#[test]
fn the_highest_carry_is_the_one_that_doubled_every_round() {
    let carrying = RulesetId::ALL.map(Ruleset::preset).into_iter().filter(|rules| rules.void_unmade);
    let highest = 1_u32 << (carrying.map(|rules| rules.rounds()).max().unwrap() - 1);
    let maximum = |schema: &str, field: &str| &components()[schema]["properties"][field]["maximum"];
    for schema in ["ScoreRequest", "RoundDealtEvent", "RoundView"] {
        assert_eq!(*maximum(schema, "carry"), highest, "{schema}");
    }
    for schema in ["ScoreAnswer", "RoundScoredEvent"] {
        assert_eq!(*maximum(schema, "next_carry"), highest * 2, "{schema}");
    }
}
