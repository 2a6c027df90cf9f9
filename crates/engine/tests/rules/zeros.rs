use crate::prelude::*;

const NO_THIRD_ZERO: Rejection = Rejection::ZeroLimit { limit: 2 };

/// Everyone enters, seat 0 bids, the others pass.
fn kabooot_bid(tricks: u8, minimum: u8) -> Scene {
    given(Kabooot)
        .with("minimum_bid", minimum)
        .started()
        .when_all([enter(0), enter(1), enter(2), enter(3)])
        .when_all([bid(0, tricks, Spades), pass(1), pass(2), pass(3)])
}

fn double_risk_bid(tricks: u8, minimum: u8) -> Scene {
    given(DoubleRisk).with("minimum_bid", minimum).started().when_all([
        bid(0, tricks, Spades),
        pass(1),
        pass(2),
        pass(3),
    ])
}

#[test]
fn after_two_zeros_the_risk_may_not_say_zero() {
    for scene in [kabooot_bid(5, 4), double_risk_bid(5, 4)] {
        scene
            .when_all([estimate(1, 0), estimate(2, 0)])
            .refuses(estimate(3, 0), NO_THIRD_ZERO)
            .refuses(estimate(3, 6), Rejection::EstimateOutOfRange { min: 1, max: 5 })
            .then_offered(&[estimate(3, 1), estimate(3, 2), estimate(3, 3), estimate(3, 4), estimate(3, 5)])
            .when(estimate(3, 5))
            .then_phase("play");
    }
}

#[test]
fn after_two_zeros_and_a_bid_of_thirteen_zero_is_out_for_either_reason() {
    for scene in [kabooot_bid(13, 4), double_risk_bid(13, 4)] {
        scene
            .when_all([estimate(1, 0), estimate(2, 0)])
            .refuses(estimate(3, 0), NO_THIRD_ZERO)
            .when(estimate(3, 1))
            .then_phase("play");
    }
}

#[test]
fn after_a_bid_of_one_and_two_zeros_one_number_is_left() {
    for scene in [kabooot_bid(1, 1), double_risk_bid(1, 1)] {
        scene.when_all([estimate(1, 0), estimate(2, 0)]).then_offered(&[estimate(3, 1)]);
    }
}

#[test]
fn a_declared_zero_counts_towards_the_two() {
    given(DoubleRisk)
        .started()
        .when_all([dash_call(0), bid(1, 4, Clubs), pass(2), pass(3)])
        .when_all([estimate(2, 0)])
        .refuses(estimate(3, 0), NO_THIRD_ZERO);
    given(Kabooot)
        .started()
        .when_all([blind_dash(0), enter(1), enter(2), enter(3)])
        .when_all([bid(1, 4, Clubs), pass(2), pass(3), estimate(2, 0)])
        .refuses(estimate(3, 0), NO_THIRD_ZERO);
}

#[test]
fn two_dash_calls_leave_no_zero_for_the_estimators() {
    // The worked example "Under 13" of double-risk, in round 10.
    given(DoubleRisk)
        .tricks(10, [4, 0, 3, 6], Hearts)
        .started()
        .up_to_round(10)
        .when_all([dash_call(1), dash_call(2), bid(3, 5, Hearts), pass(0)])
        .refuses(estimate(0, 0), NO_THIRD_ZERO)
        .when(estimate(0, 4))
        .played_out()
        .then_points(&[34, 33, -36, -11]);
}

#[test]
fn the_limit_of_two_zeros_holds_in_fast_rounds() {
    for id in [Kabooot, DoubleRisk] {
        given(id)
            .started()
            .up_to_round(14)
            .when_all([estimate(1, 0), estimate(2, 0)])
            .refuses(estimate(3, 0), NO_THIRD_ZERO)
            .when(estimate(3, 1))
            .refuses(estimate(0, 0), NO_THIRD_ZERO)
            .refuses(estimate(0, 12), Rejection::TotalBarred { barred: 12, total: 13 })
            .when(estimate(0, 13))
            .then_phase("play");
    }
}

#[test]
fn a_fast_round_of_four_zeros_has_no_bidder_and_its_starter_leads() {
    given(Squares)
        .tricks(14, [0, 13, 0, 0], NoTrump)
        .started()
        .up_to_round(14)
        .when_all([estimate(1, 0), estimate(2, 0), estimate(3, 0), estimate(0, 0)])
        .then_happened(&["estimate_made", "play_began"])
        .then_turn_of(1)
        .played_out()
        // Three dashes made; seat 1 the only loser; seat 0 the Risk at d = 13, R = 4.
        .then_points(&[50, -20, 10, 10])
        .then_see(|scene| {
            let scored = scene.scored();
            assert_eq!((scored.bidder, scored.risk), (None, Some(Seat::new(0))));
            assert!(scored.withs.is_empty());
        });
}

#[test]
fn a_fast_round_of_four_zeros_without_a_winner_is_void() {
    given(Squares)
        .started()
        .up_to_round(14)
        .when_all([estimate(1, 0), estimate(2, 0), estimate(3, 0), estimate(0, 0)])
        .played_out()
        .then_points(&[0, 0, 0, 0])
        .then_see(|scene| assert_eq!((scene.scored().next_carry, scene.dealt().carry), (2, 2)));
}

#[test]
fn the_last_estimator_may_not_complete_the_total() {
    given(Squares)
        .started()
        .when_all([bid(0, 5, Spades), pass(1), pass(2), pass(3), estimate(1, 3), estimate(2, 2)])
        .refuses(estimate(3, 3), Rejection::TotalBarred { barred: 3, total: 13 })
        .refuses(estimate(3, 6), Rejection::EstimateOutOfRange { min: 0, max: 5 })
        .when(estimate(3, 2))
        .then_phase("play");
}

#[test]
fn in_plain_the_total_is_free_unless_thirteen_is_forbidden() {
    let scene = |forbid: bool| {
        plain()
            .with("forbid_thirteen", forbid)
            .started()
            .when_all([bid(0, 5, Spades), bid(3, 4, Clubs), bid(2, 4, Clubs), bid(1, 4, Clubs)])
            .when_all([estimate(3, 3), estimate(2, 2)])
    };
    scene(false).when(estimate(1, 3)).then_phase("play");
    scene(true).refuses(estimate(1, 3), Rejection::TotalBarred { barred: 3, total: 13 });
}

#[test]
fn no_number_is_barred_once_the_others_are_above_the_total() {
    // Turn 2, seat 1 deals and speaks last: 2 + 1 is above 2 already (nineteen R7).
    given(Nineteen)
        .started()
        .up_to_round(2)
        .when_all([estimate(2, 2), estimate(3, 1), estimate(0, 0)])
        .then_offered(&[estimate(1, 0), estimate(1, 1), estimate(1, 2)]);
    given(Nineteen)
        .started()
        .up_to_round(2)
        .when_all([estimate(2, 2), estimate(3, 0), estimate(0, 0)])
        .refuses(estimate(1, 0), Rejection::TotalBarred { barred: 0, total: 2 })
        .then_offered(&[estimate(1, 1), estimate(1, 2)]);
}

#[test]
fn two_players_on_a_turn_of_one_card_are_barred_too() {
    // nineteen S9: seat 0 deals and speaks last.
    let scene = |said| given(Nineteen).of(2).started().when(estimate(1, said));
    scene(0).then_offered(&[estimate(0, 0)]);
    scene(1).then_offered(&[estimate(0, 1)]);
    scene(1).refuses(estimate(0, 0), Rejection::TotalBarred { barred: 0, total: 1 });
}

#[test]
fn the_printed_example_of_nineteen() {
    given(Nineteen)
        .hands(deal(2, 1), &["10C 9S", "AD AC", "JD 9C", "QH 10S"], Some("KH"))
        .started()
        .up_to_round(2)
        .when_all([estimate(2, 0), estimate(3, 1), estimate(0, 0)])
        .refuses(estimate(1, 1), Rejection::TotalBarred { barred: 1, total: 2 })
        .when(estimate(1, 2))
        .then_turn_of(3)
        .when_all([play(3, "AD"), play(0, "JD"), play(1, "QH"), play(2, "10C")])
        .then_happened(&["card_played", "trick_taken"])
        .then_turn_of(1)
        .when_all([play(1, "10S"), play(2, "9S"), play(3, "AC"), play(0, "9C")])
        .then_points(&[0, 0, 0, 3]);
}
