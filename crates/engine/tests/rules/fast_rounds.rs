use estimation_engine::rejection::TrumpBid;

use crate::prelude::*;

#[test]
fn trump_may_be_changed_again_by_a_higher_number_or_suit() {
    given(Squares)
        .tricks(14, [1, 4, 4, 4], Clubs)
        .started()
        .up_to_round(14)
        .refuses(estimate_naming(1, 7, Hearts), Rejection::TrumpChangeBarred { changed: None })
        .when(estimate_naming(1, 8, Hearts))
        .then_happened(&["estimate_made", "trump_changed"])
        .refuses(
            estimate_naming(2, 8, Diamonds),
            Rejection::TrumpChangeBarred { changed: Some(TrumpBid { tricks: 8, trump: Hearts }) },
        )
        .refuses(
            estimate_naming(2, 8, Hearts),
            Rejection::TrumpChangeBarred { changed: Some(TrumpBid { tricks: 8, trump: Hearts }) },
        )
        .when(estimate_naming(2, 8, Spades))
        .then(Event::TrumpChanged { seat: Seat::new(2), trump: Spades })
        .refuses(
            estimate_naming(3, 7, NoTrump),
            Rejection::TrumpChangeBarred { changed: Some(TrumpBid { tricks: 8, trump: Spades }) },
        )
        .when(estimate_naming(3, 9, Clubs))
        .then(Event::TrumpChanged { seat: Seat::new(3), trump: Clubs })
        // A high estimate without a trump changes nothing.
        .when(estimate(0, 13))
        .then_happened(&["estimate_made", "play_began"])
        .then_turn_of(0)
        .then_see(|scene| assert_eq!(scene.round().trump(), Some(Clubs)));
}

#[test]
fn naming_the_present_trump_is_a_change_that_later_ones_must_beat() {
    // Round 14 is played without a trump suit (squares S7).
    given(Squares)
        .started()
        .up_to_round(14)
        .when(estimate_naming(1, 8, NoTrump))
        .then(Event::TrumpChanged { seat: Seat::new(1), trump: NoTrump })
        .refuses(
            estimate_naming(2, 8, Spades),
            Rejection::TrumpChangeBarred { changed: Some(TrumpBid { tricks: 8, trump: NoTrump }) },
        )
        .when(estimate_naming(2, 9, Clubs))
        .then(Event::TrumpChanged { seat: Seat::new(2), trump: Clubs });
}

#[test]
fn an_unannounced_high_estimate_need_not_be_beaten() {
    given(Squares)
        .started()
        .up_to_round(15)
        .when(estimate(2, 13))
        .when(estimate_naming(3, 8, Clubs))
        .then(Event::TrumpChanged { seat: Seat::new(3), trump: Clubs });
}

#[test]
fn a_barred_number_is_barred_with_a_trump_too() {
    given(Squares)
        .started()
        .up_to_round(14)
        .when_all([estimate(1, 1), estimate(2, 2), estimate(3, 2)])
        .refuses(estimate_naming(0, 8, Spades), Rejection::TotalBarred { barred: 8, total: 13 })
        .when(estimate_naming(0, 9, Spades))
        .then_phase("play");
}

#[test]
fn trump_is_fixed_in_auction_rounds_and_wherever_the_table_or_the_ruleset_says_so() {
    let barred = Rejection::TrumpChangeBarred { changed: None };
    given(Squares)
        .started()
        .when_all([bid(0, 13, NoTrump), pass(1), pass(2), pass(3)])
        .refuses(estimate_naming(1, 8, NoTrump), barred.clone());
    given(Squares)
        .with("fast_trump_change", false)
        .started()
        .up_to_round(14)
        .refuses(estimate_naming(1, 8, Spades), barred.clone());
    for id in [Kabooot, DoubleRisk] {
        given(id).started().up_to_round(14).refuses(estimate_naming(1, 8, Spades), barred.clone());
    }
}

#[test]
fn the_first_to_reach_the_highest_number_is_bidder_and_leads_and_later_equals_are_withs() {
    for (id, withs) in [(Squares, vec![3, 0]), (DoubleRisk, vec![3, 0]), (Kabooot, vec![])] {
        given(id)
            .tricks(14, [4, 2, 4, 3], NoTrump)
            .started()
            .up_to_round(14)
            .when_all([estimate(1, 2), estimate(2, 4), estimate(3, 4), estimate(0, 4)])
            .then_turn_of(2)
            .played_out()
            .then_see(|scene| {
                let withs: SeatSet = withs.into_iter().map(Seat::new).collect();
                assert_eq!((scene.scored().bidder, scene.scored().withs), (Some(Seat::new(2)), withs));
                assert_eq!(scene.scored().risk, Some(Seat::new(0)));
            });
    }
}

#[test]
fn in_plain_the_fast_hands_have_no_bidder() {
    plain()
        .tricks(14, [4, 2, 4, 3], NoTrump)
        .started()
        .up_to_round(14)
        .refuses(dash_call(1), Rejection::WrongPhase { phase: PhaseKind::Estimates })
        // Clockwise from the dealer's right, who also leads.
        .when_all([estimate(1, 2), estimate(0, 4), estimate(3, 4), estimate(2, 4)])
        .then_turn_of(1)
        .played_out()
        .then_points(&[4, 2, 4, -1])
        .then_see(|scene| assert_eq!((scene.scored().bidder, scene.scored().risk), (None, None)));
}

#[test]
fn the_trumps_of_the_fast_rounds_run_down_from_no_trump() {
    let trumps = [(14, NoTrump), (15, Spades), (16, Hearts), (17, Diamonds), (18, Clubs)];
    for id in [Squares, Kabooot, DoubleRisk] {
        for (round, trump) in trumps {
            given(id)
                .started()
                .up_to_round(round)
                .then_phase("estimates")
                .then_see(|scene| assert_eq!(scene.dealt().trump, Some(trump)));
        }
    }
}

#[test]
fn a_kabooot_by_the_risk_of_the_last_accelerated_round() {
    given(Kabooot)
        .tricks(18, [13, 0, 0, 0], Clubs)
        .started()
        .up_to_round(18)
        .when_all([estimate(1, 0), estimate(2, 1), estimate(3, 0)])
        .refuses(estimate(0, 12), Rejection::TotalBarred { barred: 12, total: 13 })
        .when(estimate(0, 13))
        .then_turn_of(0)
        .played_out()
        .then_points(&[101, 3, -54, 3])
        .then_see(|scene| {
            let scored = scene.scored();
            assert_eq!((scored.bidder, scored.risk), (Some(Seat::new(0)), Some(Seat::new(0))));
        });
}

#[test]
fn a_kabooot_in_the_auction_costs_the_others() {
    // The worked example of round 12.
    given(Kabooot)
        .tricks(12, [0, 0, 0, 13], Spades)
        .started()
        .up_to_round(12)
        .when_all([enter(3), blind_dash(0), enter(1), enter(2)])
        .when_all([bid(3, 13, Spades), pass(1), pass(2), estimate(1, 0)])
        .when(estimate(2, 1))
        .played_out()
        .then_points(&[7, -3, -58, 85]);
}
