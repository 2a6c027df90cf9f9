//! Views: concealed tricks, roles as they become known, the last trick.

use estimation_engine::redact::{Viewer, VisibleHand, redact};
use estimation_engine::ruleset::Plan;
use estimation_engine::view::View;
use serde_json::json;

use crate::prelude::*;

fn every_view(game: &Game) -> Vec<View> {
    let seats = (0..game.rules().players).map(|seat| Some(Position::Seat(Seat::new(seat))));
    seats.chain([None]).map(|you| view(game, you)).collect()
}

#[test]
fn concealed_tricks_are_counted_in_no_view_of_any_round() {
    for id in RulesetId::ALL {
        for concealed in [false, true] {
            let rules = Ruleset { concealed_tricks: concealed, ..Ruleset::preset(id) };
            let mut table = Table::start(rules, 3);
            let mut in_play = 0;
            table.play_until(&mut Random(3), |game| {
                for view in every_view(game) {
                    let round = view.round.expect("a round or the choice of seats");
                    assert_eq!(round.tricks_taken.is_none(), concealed, "{id}: {:?}", round.phase);
                    let text = serde_json::to_string(&round.tricks_taken).unwrap();
                    assert_eq!(text == "null", concealed);
                    in_play += usize::from(round.phase == PhaseKind::Play);
                }
                false
            });
            assert!(in_play > 0);
            // Only the score of each round reveals the tricks taken.
            for (_, event) in &table.record {
                let tells = serde_json::to_value(event).unwrap()["tricks"].is_array();
                assert_eq!(tells, matches!(event, Event::RoundScored(_)));
            }
        }
    }
}

#[test]
fn tricks_taken_are_shown_as_they_stand_otherwise() {
    given(Squares)
        .started()
        .up_to(|scene| match &scene.game.stage {
            Stage::Round(round) => {
                matches!(&round.phase, Phase::Play(play) if play.taken.values().sum::<u8>() == 5)
            }
            _ => false,
        })
        .then_see(|scene| {
            for view in every_view(&scene.game) {
                let taken = view.round.unwrap().tricks_taken.unwrap();
                assert_eq!(taken.values().sum::<u8>(), 5);
            }
        });
}

#[test]
fn players_see_their_own_cards_and_the_number_of_others() {
    for id in RulesetId::ALL {
        let scene = given(id).started().up_to(|scene| matches!(scene.game.stage, Stage::Round(_)));
        let hands = &scene.round().hands;
        for (index, view) in every_view(&scene.game).into_iter().enumerate() {
            for (seat, shown) in view.round.unwrap().hands.iter() {
                let expected = if seat.index() == index {
                    VisibleHand::Cards(hands[seat])
                } else {
                    VisibleHand::Hidden(hands[seat].len())
                };
                assert_eq!(*shown, expected, "{id}");
            }
        }
    }
}

fn roles(scene: &Scene) -> Vec<Option<(u8, bool, bool)>> {
    let calls = view(&scene.game, None).round.expect("a round").calls;
    calls.values().map(|call| call.map(|call| (call.tricks, call.with, call.risk))).collect()
}

#[test]
fn calls_and_roles_are_shown_as_soon_as_they_are_said() {
    given(Squares)
        .started()
        .when_all([dash_call(0), bid(1, 4, Spades), pass(2), bid(3, 5, Spades)])
        .then_see(|scene| assert_eq!(roles(scene), [Some((0, false, false)), None, None, None]))
        .when(pass(1))
        .then_see(|scene| {
            let bid = Some((5, false, false));
            assert_eq!(roles(scene), [Some((0, false, false)), None, None, bid]);
        })
        // Seat 0 dash-called, so seat 1 estimates first and seat 2 is the Risk.
        .when(estimate(1, 5))
        .then_see(|scene| assert_eq!(roles(scene)[1], Some((5, true, false))))
        .when(estimate(2, 2))
        .then_see(|scene| assert_eq!(roles(scene)[2], Some((2, false, true))))
        .then_phase("play");
}

/// In JSON only the calls made are listed, each with its seat; stored events have an item for each seat.
#[test]
fn published_calls_name_their_seats() {
    given(Squares)
        .started()
        .when_all([dash_call(0), bid(1, 4, Spades), pass(2), bid(3, 5, Spades), pass(1)])
        .then_see(|scene| {
            let calls = &json!(view(&scene.game, None))["round"]["calls"];
            let shown = |seat: u8, kind: &str, tricks: u8| {
                json!({"seat": seat, "kind": kind, "tricks": tricks, "with": false, "risk": false})
            };
            assert_eq!(*calls, json!([shown(0, "dash_call", 0), shown(3, "bid", 5)]));
        });
    given(Squares).started().when_all([pass(0), dash_call(1), pass(2), pass(3)]).then_see(|scene| {
        let scored = scene.last.iter().find(|event| matches!(event, Event::RoundScored(_)));
        let scored = scored.expect("a folded round is scored");
        let dash = json!({"kind": "dash_call", "tricks": 0});
        assert_eq!(json!(scored)["calls"], json!([null, dash, null, null]));
        let seen = json!(redact(scored, Viewer::Stranger, false));
        assert_eq!(seen["score"]["calls"], json!([{"seat": 1, "kind": "dash_call", "tricks": 0}]));
    });
}

#[test]
fn the_last_trick_stays_in_view() {
    given(Squares)
        .started()
        .up_to_round(14)
        .when_all([estimate(1, 4), estimate(2, 3), estimate(3, 3), estimate(0, 2)])
        .then_see(|scene| assert_eq!(view(&scene.game, None).round.unwrap().last_trick, None))
        .up_to(|scene| matches!(scene.last.last(), Some(Event::TrickTaken { .. })))
        .then_see(|scene| {
            let round = view(&scene.game, None).round.unwrap();
            assert_eq!(round.last_trick.unwrap().plays.len(), 4);
            assert!(round.trick.unwrap().plays.is_empty());
        });
}

#[test]
fn an_indicator_and_its_trump_are_shown() {
    for id in RulesetId::ALL {
        let rules = Ruleset::preset(id);
        let turned = rules.plan == Plan::Turns;
        let scene = given(id).started();
        assert_eq!(view(&scene.game, None).round.unwrap().indicator.is_some(), turned);
    }
}
