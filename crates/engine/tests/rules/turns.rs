use crate::prelude::*;

fn starts(scene: &Scene) -> (u8, u8) {
    (scene.dealt().round, scene.dealt().first_speaker.index() as u8)
}

#[test]
fn in_nineteen_the_player_after_the_first_estimator_leads() {
    for players in 2..=5 {
        let scene = given(Nineteen).of(players).started();
        // Seat 0 deals turn 1: seat 1 estimates first, seat 2 (next around the table) leads. All say 1: more
        // than one trick, so no number is barred to the dealer.
        scene
            .when_all((1..=players).map(|seat| estimate(seat % players, 1)))
            .then_phase("play")
            .then_turn_of(2 % players);
    }
}

#[test]
fn the_deal_moves_on_by_one_seat_a_round() {
    for round in 1..=6 {
        let scene = given(Nineteen).of(5).started().up_to_round(round);
        assert_eq!(scene.dealt().dealer, Seat::new((round - 1) % 5));
        for options in [given(Squares), given(Kabooot), given(DoubleRisk), plain()] {
            assert_eq!(starts(&options.started().up_to_round(round)), (round, (round - 1) % 4));
        }
    }
}

#[test]
fn the_bidder_leads_for_every_starter() {
    for id in [Squares, DoubleRisk] {
        given(id)
            .started()
            .when_all([pass(0), pass(1), bid(2, 5, Spades), pass(3)])
            // Estimates begin after the bidder.
            .when_all([estimate(3, 3), estimate(0, 3), estimate(1, 3)])
            .then_turn_of(2);
    }
    given(Kabooot)
        .started()
        .when_all([enter(0), enter(1), enter(2), enter(3), bid(0, 4, Clubs), pass(1), bid(2, 5, Clubs)])
        .when_all([pass(3), pass(0), estimate(3, 3), estimate(0, 3), estimate(1, 3)])
        .then_turn_of(2);
}

fn declared_by_two(options: Given) -> Scene {
    options
        .started()
        .when_all([bid(0, 4, Clubs), bid(3, 4, Clubs), bid(2, 7, Clubs), bid(1, 4, Clubs)])
        .when_all([estimate(1, 3), estimate(0, 3), estimate(3, 3)])
}

#[test]
fn in_plain_the_dealers_right_leads_unless_the_table_chose_the_declarer() {
    declared_by_two(plain()).then_turn_of(0).step().then_turn_of(1);
    // The direction of play stays the same (plain S12).
    declared_by_two(plain().with("first_lead", "declarer")).then_turn_of(2).step().then_turn_of(3);
    plain()
        .with("first_lead", "declarer")
        .started()
        .up_to_round(14)
        .when_all([estimate(1, 0), estimate(0, 0), estimate(3, 13), estimate(2, 0)])
        .then_turn_of(1);
}

#[test]
fn in_plain_bids_and_estimates_go_clockwise_unless_the_table_turned_them() {
    plain()
        .with("bid_direction", "counterclockwise")
        .started()
        .when_all([bid(0, 4, Clubs), bid(1, 7, NoTrump), bid(2, 4, Clubs), bid(3, 4, Clubs)])
        .when_all([estimate(2, 3), estimate(3, 3), estimate(0, 3)])
        .then_turn_of(0);
    plain()
        .with("bid_direction", "counterclockwise")
        .started()
        .up_to_round(14)
        .when_all([estimate(1, 3), estimate(2, 3), estimate(3, 3), estimate(0, 3)])
        .then_phase("play");
}

#[test]
fn in_plain_the_risk_is_the_last_in_the_direction_of_bidding() {
    // plain S8: in the fast hands, the seat after the first speaker.
    plain()
        .with("forbid_thirteen", true)
        .started()
        .up_to_round(14)
        .when_all([estimate(1, 3), estimate(0, 3), estimate(3, 3), estimate(2, 3)])
        .played_out()
        .then_see(|scene| assert_eq!(scene.scored().risk, Some(Seat::new(2))));
}

#[test]
fn a_fixed_start_is_always_seat_zeros() {
    for id in [Squares, DoubleRisk] {
        for round in [2, 3, 13, 14] {
            let scene = given(id).with("starter_rotation", "fixed").started().up_to_round(round);
            assert_eq!(starts(&scene), (round, 0));
        }
    }
}

#[test]
fn the_previous_bidder_starts_the_next_round() {
    let scene = given(Squares)
        .with("starter_rotation", "previous_bidder")
        .started()
        // Seat 0 starts until there has been a bidder; a fold changes nothing.
        .when_all([pass(0), pass(1), pass(2), pass(3)])
        .then_see(|scene| assert_eq!(starts(scene), (2, 0)))
        .when_all([pass(0), pass(1), bid(2, 4, Spades), pass(3)])
        .when_all([estimate(3, 3), estimate(0, 3), estimate(1, 2)])
        .played_out()
        .then_see(|scene| assert_eq!(starts(scene), (3, 2)))
        .when_all([pass(2), pass(3), pass(0), pass(1)])
        .then_see(|scene| assert_eq!(starts(scene), (4, 2)))
        .up_to_round(14)
        // The bidder of a fast round counts. A round of zeros has no bidder.
        .when_all([estimate(2, 0), estimate(3, 5), estimate(0, 5), estimate(1, 0)])
        .played_out()
        .then_see(|scene| assert_eq!(starts(scene), (15, 3)))
        .when_all([estimate(3, 0), estimate(0, 0), estimate(1, 0), estimate(2, 0)])
        .played_out();
    assert_eq!(starts(&scene), (16, 3));
}

#[test]
fn the_bidder_of_a_lost_round_counts_and_a_redeal_changes_nothing() {
    given(DoubleRisk)
        .with("starter_rotation", "previous_bidder")
        .tricks(1, [3, 4, 2, 4], Spades)
        .started()
        .when_all([pass(0), bid(1, 5, Spades), pass(2), pass(3)])
        .when_all([estimate(2, 3), estimate(3, 3), estimate(0, 4)])
        .played_out()
        .then_points(&[0, 0, 0, 0])
        .then_see(|scene| assert_eq!(starts(scene), (2, 1)))
        .when_all([pass(1), pass(2), pass(3), pass(0)])
        .then_happened(&["passed", "auction_void", "round_dealt"])
        .then_see(|scene| assert_eq!(starts(scene), (2, 1)));
}
