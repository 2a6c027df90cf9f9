//! The jokers of `nineteen`: the highest trumps, or, when a joker is turned up, cards without a suit.

use estimation_engine::card::Suit::{Hearts, Spades};

use crate::prelude::*;

fn jokers(number: u8) -> Given {
    given(Nineteen).with("jokers", number)
}

fn takes(seat: u8) -> Event {
    Event::TrickTaken { seat: Seat::new(seat) }
}

/// Turn 2 with these hands, from seat 2 on, up to its first lead by seat 3.
fn turn_two(hands: [&str; 4], indicator: &str) -> Scene {
    jokers(2)
        .hands(deal(2, 1), &hands, Some(indicator))
        .started()
        .up_to_round(2)
        .when_all([estimate(2, 0), estimate(3, 0), estimate(0, 0), estimate(1, 0)])
        .then_turn_of(3)
}

#[test]
fn a_joker_turned_up_leaves_no_trump_and_makes_the_other_suitless() {
    turn_two(["AS KS", "6S 7H", "BJ 8S", "9S 9H"], "RJ")
        .then_see(|scene| assert_eq!(scene.dealt().trump, Some(Trump::NoTrump)))
        .when(play(3, "6S"))
        // The suitless joker may be played only when its holder leads or cannot follow.
        .refuses(play(0, "BJ"), Rejection::MustFollowSuit { led: Spades })
        .then_offered(&[play(0, "8S")])
        .when_all([play(0, "8S"), play(1, "9S"), play(2, "AS")])
        .then(takes(2))
        .when_all([play(2, "KS"), play(3, "7H"), play(0, "BJ"), play(1, "9H")])
        .then(takes(0));
}

#[test]
fn a_suitless_joker_led_wins_and_sets_no_suit() {
    turn_two(["AS KS", "RJ 7H", "8H 8S", "9S 9H"], "BJ")
        .when(play(3, "RJ"))
        .then_offered(&[play(0, "8H"), play(0, "8S")])
        .when(play(0, "8H"))
        .then_offered(&[play(1, "9S"), play(1, "9H")])
        .when_all([play(1, "9S"), play(2, "AS")])
        .then(takes(3));
}

#[test]
fn of_two_jokers_in_one_trick_the_red_one_wins() {
    // Turn 1: seat 0 deals, seat 1 speaks first, seat 2 leads.
    for (hands, winner) in [(["RJ", "AS", "KS", "BJ"], 1), (["BJ", "AS", "RJ", "KS"], 3)] {
        let [one, two, three, four] = hands;
        jokers(2)
            .hands(deal(1, 1), &hands, Some("6S"))
            .started()
            .when_all([estimate(1, 0), estimate(2, 0), estimate(3, 0), estimate(0, 0)])
            .when_all([play(2, two), play(3, three), play(0, four), play(1, one)])
            .then(takes(winner));
    }
}

#[test]
fn a_joker_led_leads_trumps() {
    turn_two(["AS 9H", "BJ 7H", "8H 8S", "RJ KH"], "6S")
        .when(play(3, "BJ"))
        .refuses(play(0, "8H"), Rejection::MustFollowSuit { led: Spades })
        .when(play(0, "8S"))
        // A player without another trump must play the joker.
        .refuses(play(1, "KH"), Rejection::MustFollowSuit { led: Spades })
        .then_offered(&[play(1, "RJ")])
        .when_all([play(1, "RJ"), play(2, "AS")])
        .then(takes(1));
}

#[test]
fn a_joker_follows_no_other_suit() {
    turn_two(["AS 9H", "10H 7H", "RJ 8H", "BJ KC"], "6S")
        .when(play(3, "10H"))
        .refuses(play(0, "RJ"), Rejection::MustFollowSuit { led: Hearts })
        .when(play(0, "8H"))
        // A player who cannot follow may trump with it.
        .then_offered(&[play(1, "BJ"), play(1, "KC")])
        .when_all([play(1, "BJ"), play(2, "9H")])
        .then(takes(1));
}
