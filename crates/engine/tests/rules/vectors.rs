//! The worked scores of `tests/vectors`, in the engine.

use std::collections::BTreeMap;

use estimation_engine::ruleset::options::OptionValue;
use estimation_engine::score::{Call, CallKind, Course, RoundResult, check, score};
use estimation_engine::seat::BySeat;
use estimation_test_support::acts::estimate;
use estimation_test_support::vectors::{RULESETS, agrees, needs_first_speaker, requests};
use serde_json::{Value, json};

use crate::prelude::*;

fn in_the_engine(ruleset: &str, request: &Value) -> Value {
    let number = |field: &str| request[field].as_u64().map(|number| number as u8);
    let mut options = BTreeMap::new();
    for (name, value) in request["options"].as_object().into_iter().flatten() {
        let value: OptionValue = serde_json::from_value(value.clone()).expect("an option");
        options.insert(name.clone(), value);
    }
    let id: RulesetId = ruleset.parse().expect("a ruleset");
    let rules = Ruleset::agreed(id, number("players"), &options).expect("options that are allowed");
    let call = |seat: Seat| -> Option<Call> {
        let calls = request["calls"].as_array().expect("calls");
        let call = calls.iter().find(|call| call["seat"] == seat.index())?;
        let call = json!({"kind": call["kind"], "tricks": call["tricks"]});
        Some(serde_json::from_value(call).expect("a call"))
    };
    let tricks: Vec<u8> = serde_json::from_value(request["tricks"].clone()).expect("tricks");
    let seats = || (0..rules.players).map(Seat::new);
    let course = if request["folded"] == true {
        Course::Folded { dashed: seats().filter(|&seat| call(seat).is_some()).collect::<SeatSet>() }
    } else {
        let bid = |seat: &Seat| call(*seat).is_some_and(|call| call.kind == CallKind::Bid);
        Course::Played {
            declarer: seats().find(bid),
            calls: BySeat::from_fn(rules.players, |seat| call(seat).expect("a call")),
            tricks: BySeat::from_fn(rules.players, |seat| tricks[seat.index()]),
        }
    };
    let first_speaker = match (number("first_speaker"), number("dealer")) {
        (Some(first), _) => first,
        (None, dealer) => (dealer.expect("a dealer") + 1) % rules.players,
    };
    let result = RoundResult {
        round: number("round").expect("a round"),
        carry: request["carry"].as_u64().unwrap_or(1) as u32,
        first_speaker: Seat::new(first_speaker),
        course,
    };
    check(&rules, &result, None).unwrap_or_else(|error| panic!("{request}: {error}"));
    json!(score(&rules, &result))
}

/// The first speaker affects some score where a request must name it, and no score elsewhere.
#[test]
fn a_score_depends_on_the_first_speaker_only_where_required() {
    let mut depending = 0;
    for ruleset in RULESETS {
        for (vector, mut request) in requests(ruleset) {
            let needed = needs_first_speaker(ruleset, &request);
            let players = vector["calls"].as_array().or(vector["estimates"].as_array()).map_or(0, Vec::len);
            let mut scores = (0..players).map(|first| {
                request["first_speaker"] = json!(first);
                let mut score = in_the_engine(ruleset, &request);
                score.as_object_mut().expect("a score").remove("risk");
                score
            });
            let first = scores.next().expect("a player");
            let differs = scores.any(|score| score != first);
            assert!(needed || !differs, "{}", vector["id"]);
            depending += usize::from(differs);
        }
    }
    assert!(depending > 3, "{depending} vectors");
}

#[test]
fn every_vector_is_scored_by_the_engine() {
    for ruleset in RULESETS {
        for (vector, request) in requests(ruleset) {
            agrees(&vector, &in_the_engine(ruleset, &request));
        }
    }
}

/// What the vectors of `nineteen` state before the end of a round: the deal, the number barred to the dealer,
/// and the leader.
#[test]
fn rounds_of_nineteen_begin_as_the_vectors_say() {
    for (vector, _) in requests("nineteen") {
        let id = &vector["id"];
        let players = vector["players"].as_u64().unwrap() as u8;
        let options = vector["options"].as_object().into_iter().flatten();
        let table = options.fold(given(RulesetId::Nineteen).of(players), |table, (name, value)| {
            table.with(name, value.clone())
        });
        let mut scene = table.started().up_to_round(vector["round"].as_u64().unwrap() as u8);
        let (dealer, hand) = (scene.dealt().dealer, scene.dealt().hands.values().next().unwrap().len());
        assert_eq!((&vector["dealer"], &vector["hand_size"]), (&json!(dealer), &json!(hand)), "{id}");
        let said = |seat: u8| vector["estimates"][usize::from(seat)].as_u64().unwrap() as u8;
        let dealer = dealer.index() as u8;
        let others = (1..players).map(|offset| (dealer + offset) % players);
        scene = scene.when_all(others.map(|seat| estimate(seat, said(seat)))).then_turn_of(dealer);
        let allowed = legal_commands(&scene.game, scene.game.to_act().unwrap());
        let barred: Vec<u8> = (0..=hand)
            .filter(|&tricks| !allowed.contains(&Command::Estimate { tricks, trump: None }))
            .collect();
        let expected = vector["expected"]["barred_to_dealer"].as_u64().map(|tricks| tricks as u8);
        assert_eq!(barred, Vec::from_iter(expected), "{id}");
        let leader = vector["expected"]["leader"].as_u64().unwrap() as u8;
        scene.when(estimate(dealer, said(dealer))).then_turn_of(leader);
    }
}
