//! Positions with one sensible choice.

use estimation_bots::{Budget, Dice, Level, choose, timeout_move};
use estimation_engine::card::Trump;
use estimation_engine::command::Command;
use estimation_engine::ruleset::RulesetId::{DoubleRisk, Nineteen, Plain, Squares};
use estimation_engine::view::view;
use estimation_test_support::acts::*;
use estimation_test_support::scene::{Scene, deal, given};

/// The choices of `steady`, of `sharp` under several seeds, and of the clock for the player to move.
fn thinkers(scene: &Scene) -> Vec<Command> {
    let view = view(&scene.game, scene.game.to_act());
    let sharp = |seed| choose(&view, Level::Sharp, &mut Dice::numbered(seed), Budget::Playouts(400));
    let steady = choose(&view, Level::Steady, &mut Dice::numbered(0), Budget::Playouts(0));
    let all = (0..5).map(sharp).chain([steady, timeout_move(&view)]);
    all.map(|choice| choice.expect("a choice")).collect()
}

fn all_play(scene: &Scene, card: &str) {
    let Command::Play { card } = play(0, card).command else { unreachable!() };
    let choices = thinkers(scene);
    assert!(choices.iter().all(|choice| *choice == Command::Play { card }), "{card}: {choices:?}");
}

/// Round 2 of `nineteen` for two: seat 0 holds KH 10H, spades are trumps, seat 1 has led QH.
fn queen_led(said: u8, other_said: u8) -> Scene {
    given(Nineteen)
        .of(2)
        .hands(deal(2, 1), &["KH 10H", "QH JD"], Some("AS"))
        .started()
        .up_to_round(2)
        .when_all([estimate(0, said), estimate(1, other_said), play(1, "QH")])
}

#[test]
fn a_player_who_needs_every_trick_takes_this_one() {
    all_play(&queen_led(2, 1), "KH");
}

#[test]
fn a_player_who_needs_no_trick_ducks() {
    all_play(&queen_led(0, 0), "10H");
}

#[test]
fn a_player_who_needs_one_of_two_takes_the_sure_one() {
    all_play(&queen_led(1, 2), "KH");
}

const STRONG: &str = "AS KS QS JS 10S 9S AH KH AD 2C 3C 2D 2H";
const OTHERS: [&str; 3] = [
    "8S 7S QH JH 10H 9H KD QD JD AC KC QC JC",
    "6S 5S 4S 8H 7H 6H 10D 9D 8D 10C 9C 8C 7C",
    "3S 2S 5H 4H 3H 7D 6D 5D 4D 3D 6C 5C 4C",
];

#[test]
fn a_hand_of_nine_tricks_is_bid_high() {
    for ruleset in [Squares, DoubleRisk] {
        let scene =
            given(ruleset).hands(deal(1, 1), &[STRONG, OTHERS[0], OTHERS[1], OTHERS[2]], None).started();
        let mut choices = thinkers(&scene);
        assert_eq!(choices.pop(), Some(Command::Pass {}), "the clock binds nobody to a bid");
        for choice in choices {
            match choice {
                // The nine tricks are as safe without a trump as with spades.
                Command::Bid { tricks: 7..=10, trump: Trump::Spades | Trump::NoTrump } => {}
                other => panic!("{other:?} on nine tricks"),
            }
        }
    }
}

#[test]
fn a_hand_without_a_trick_is_not_bid_on() {
    for ruleset in [Squares, DoubleRisk] {
        let weak = "2S 3S 4S 2H 3H 4H 5H 2D 3D 4D 2C 3C 4C";
        let scene = given(ruleset)
            .hands(
                deal(1, 1),
                &[
                    weak,
                    "AS KS QS AH KH QH AD KD QD AC KC QC 5S",
                    "JS 10S 9S JH 10H 9H JD 10D 9D JC 10C 9C 6S",
                    "8S 7S 8H 7H 6H 8D 7D 6D 5D 8C 7C 6C 5C",
                ],
                None,
            )
            .started();
        for choice in thinkers(&scene) {
            assert!(matches!(choice, Command::Pass {} | Command::DashCall {}), "{choice:?} on nothing");
        }
    }
}

#[test]
fn an_estimate_is_close_to_what_the_hand_takes() {
    // Spades are trumps; seat 3 has the ace and king of trumps, and three other aces.
    let scene = given(Plain)
        .with("seating", "as_joined")
        .with("cut", false)
        .with("bid_direction", "counterclockwise")
        .hands(
            deal(1, 1),
            &[
                "QS JS 10S 9S 8S 7S KH QH KD QD 2C 3C 4C",
                "6S 5S JH 10H 9H 8H JD 10D 9D 8D KC QC JC",
                "4S 3S 7H 6H 5H 4H 7D 6D 5D 4D 10C 9C 8C",
                "AS KS 2S AH 3H 2H AD 3D 2D AC 7C 6C 5C",
            ],
            None,
        )
        .started()
        .when_all([
            bid(0, 6, Trump::Spades),
            bid(1, 4, Trump::Clubs),
            bid(2, 4, Trump::Clubs),
            bid(3, 4, Trump::Clubs),
            estimate(1, 2),
            estimate(2, 1),
        ]);
    for choice in thinkers(&scene) {
        assert!(matches!(choice, Command::Estimate { tricks: 4..=6, .. }), "{choice:?} on five tricks");
    }
}

#[test]
fn only_sharp_blind_dashes() {
    use estimation_engine::ruleset::RulesetId::Kabooot;
    for seed in 0..30 {
        let table =
            estimation_test_support::Table::start(estimation_engine::ruleset::Ruleset::preset(Kabooot), seed);
        let seen = view(&table.game, table.game.to_act());
        if !seen.legal.contains(&Command::BlindDash {}) {
            continue;
        }
        for level in [Level::Easy, Level::Steady] {
            let choice = choose(&seen, level, &mut Dice::numbered(seed), Budget::Playouts(0));
            assert_eq!(choice, Some(Command::EnterAuction {}));
        }
        assert_eq!(timeout_move(&seen), Some(Command::EnterAuction {}));
    }
}
