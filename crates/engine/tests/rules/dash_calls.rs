use crate::prelude::*;

#[test]
fn after_three_dash_calls_the_fourth_may_bid_twelve_and_not_thirteen() {
    given(Squares)
        .tricks(1, [0, 0, 1, 12], NoTrump)
        .started()
        .when_all([dash_call(0), dash_call(1), dash_call(2)])
        .refuses(bid(3, 13, Clubs), Rejection::ThirteenUnavoidable)
        .refuses(bid(3, 13, NoTrump), Rejection::ThirteenUnavoidable)
        .refuses(dash_call(3), Rejection::DashLimit { limit: 3 })
        .when(bid(3, 12, NoTrump))
        // No estimator is left, and there is no Risk (squares 5).
        .then_happened(&["bid_made", "auction_won", "play_began"])
        .then_turn_of(3)
        .played_out()
        .then_points(&[33, 33, -33, 144])
        .then_see(|scene| assert_eq!(scene.scored().risk, None));
}

#[test]
fn a_third_dash_call_is_refused_against_a_bid_of_thirteen() {
    given(Squares)
        .started()
        .when_all([bid(0, 13, Clubs), dash_call(1), dash_call(2)])
        .refuses(dash_call(3), Rejection::ThirteenUnavoidable)
        .when(pass(3))
        .then_turn_of(3)
        // The one estimator is the Risk: 0 would complete 13.
        .refuses(estimate(3, 0), Rejection::TotalBarred { barred: 0, total: 13 })
        .when(estimate(3, 1))
        .then_phase("play");
}

#[test]
fn a_third_dash_call_is_accepted_against_a_bid_of_twelve() {
    given(Squares)
        .started()
        .when_all([bid(0, 12, NoTrump), dash_call(1), dash_call(2), dash_call(3)])
        .then_happened(&["dash_called", "auction_won", "play_began"]);
}

#[test]
fn only_the_first_call_may_be_a_dash_call() {
    given(Squares)
        .started()
        .when_all([bid(0, 4, Clubs), bid(1, 5, Clubs), pass(2), pass(3)])
        .refuses(dash_call(0), Rejection::DashCallNotNow)
        .when(pass(0))
        .then_phase("estimates")
        .refuses(dash_call(2), Rejection::WrongPhase { phase: PhaseKind::Estimates });
}

#[test]
fn with_single_calls_the_fourth_is_asked_after_three_dash_calls_and_may_not_bid_thirteen() {
    let scene = || {
        given(Squares).with("auction", "single_call").started().when_all([
            dash_call(0),
            dash_call(1),
            dash_call(2),
        ])
    };
    scene()
        .refuses(bid(3, 13, Hearts), Rejection::ThirteenUnavoidable)
        .refuses(dash_call(3), Rejection::DashLimit { limit: 3 })
        .when(bid(3, 12, Hearts))
        .then_happened(&["bid_made", "auction_won", "play_began"]);
    scene().when(pass(3)).then_happened(&["passed", "round_folded", "round_scored", "round_dealt"]);
}

#[test]
fn with_single_calls_a_third_dash_call_is_refused_if_thirteen_is_the_highest_bid_so_far() {
    given(Squares)
        .with("auction", "single_call")
        .started()
        .when_all([dash_call(0), bid(1, 13, Clubs), dash_call(2)])
        .refuses(dash_call(3), Rejection::ThirteenUnavoidable)
        // All four are asked, whatever the highest bid is (squares S4).
        .when(bid(3, 4, Clubs))
        .then_happened(&["bid_made", "auction_won"]);
}

#[test]
fn before_the_auction_three_may_dash_call_and_the_fourth_can_only_enter() {
    given(Squares)
        .with("dash_call_timing", "before_auction")
        .started()
        .then_phase("blind_dash")
        .then_offered(&[enter(0), dash_call(0)])
        .refuses(bid(0, 5, Clubs), Rejection::WrongPhase { phase: PhaseKind::BlindDash })
        .refuses(blind_dash(0), Rejection::WrongPhase { phase: PhaseKind::BlindDash })
        .when_all([dash_call(0), dash_call(1), dash_call(2)])
        .then_offered(&[enter(3)])
        .refuses(dash_call(3), Rejection::DashLimit { limit: 3 })
        .when(enter(3))
        .then_phase("auction")
        .refuses(dash_call(3), Rejection::DashCallNotNow)
        .refuses(bid(3, 13, NoTrump), Rejection::ThirteenUnavoidable)
        // Three dash calls and a pass are a folded round (squares S3).
        .when(pass(3))
        .then_happened(&["passed", "round_folded", "round_scored", "round_dealt"])
        .then_points(&[0, 0, 0, 0])
        .then_see(|scene| {
            let called = scene.scored().calls.values().map(|call| call.is_some()).collect::<Vec<_>>();
            assert_eq!(called, [true, true, true, false]);
            assert_eq!((scene.scored().next_carry, scene.dealt().round), (2, 2));
        });
}

#[test]
fn before_the_auction_a_thirteen_cannot_meet_a_third_dash_call() {
    given(Squares)
        .with("dash_call_timing", "before_auction")
        .started()
        .when_all([dash_call(0), dash_call(1), enter(2), enter(3)])
        .then_turn_of(2)
        .when(bid(2, 13, Clubs))
        .refuses(dash_call(3), Rejection::DashCallNotNow)
        .when(pass(3))
        .then_turn_of(3)
        .refuses(estimate(3, 0), Rejection::TotalBarred { barred: 0, total: 13 });
}

#[test]
fn in_double_risk_a_third_dash_call_is_refused_at_either_time() {
    given(DoubleRisk)
        .started()
        .when_all([dash_call(0), dash_call(1)])
        .refuses(dash_call(2), Rejection::DashLimit { limit: 2 });
    given(DoubleRisk)
        .with("dash_call_timing", "before_auction")
        .started()
        .when_all([dash_call(0), enter(1), dash_call(2)])
        .then_offered(&[enter(3)])
        .refuses(dash_call(3), Rejection::DashLimit { limit: 2 });
}

#[test]
fn in_plain_two_may_dash_call_and_then_only_bids_are_left() {
    plain()
        .started()
        .when_all([dash_call(0), dash_call(3)])
        .then_turn_of(2)
        .refuses(dash_call(2), Rejection::DashLimit { limit: 2 })
        .refuses(pass(2), Rejection::NoPassing)
        .when(bid(2, 4, Clubs))
        .then_turn_of(1);
}

#[test]
fn in_plain_the_closing_rule_comes_with_forbid_thirteen() {
    let scene = |forbid: bool| {
        plain().with("dash_limit", 3).with("forbid_thirteen", forbid).started().when_all([
            dash_call(0),
            dash_call(3),
            dash_call(2),
        ])
    };
    scene(true)
        .refuses(bid(1, 13, NoTrump), Rejection::ThirteenUnavoidable)
        // There is no pass: the fourth must bid (plain S5).
        .refuses(pass(1), Rejection::NoPassing);
    scene(false).when(bid(1, 13, NoTrump)).then_happened(&["bid_made", "auction_won", "play_began"]);
    plain()
        .with("dash_limit", 3)
        .with("forbid_thirteen", true)
        .started()
        .when_all([bid(0, 13, Clubs), dash_call(3), dash_call(2)])
        .refuses(dash_call(1), Rejection::ThirteenUnavoidable);
}

#[test]
fn two_may_blind_dash_and_the_others_can_only_enter() {
    given(Kabooot)
        .started()
        .then_phase("blind_dash")
        .then_offered(&[enter(0), blind_dash(0)])
        .refuses(dash_call(0), Rejection::WrongPhase { phase: PhaseKind::BlindDash })
        .refuses(blind_dash(1), Rejection::NotYourTurn { to_act: Some(bid(0, 4, Clubs).chair) })
        .when_all([blind_dash(0), enter(1), blind_dash(2)])
        .then_offered(&[enter(3)])
        .refuses(blind_dash(3), Rejection::DashLimit { limit: 2 })
        .when(enter(3))
        // Blind dashers do not bid (kabooot 3).
        .then_phase("auction")
        .then_turn_of(1)
        .refuses(dash_call(1), Rejection::DashCallNotNow)
        .when_all([bid(1, 4, Clubs), pass(3)])
        // They do not estimate either, and there are two zeros.
        .then_turn_of(3)
        .refuses(estimate(3, 0), Rejection::ZeroLimit { limit: 2 })
        .when(estimate(3, 4))
        .then_phase("play")
        .then_see(|scene| assert_eq!(scene.round().first_speaker(), Seat::new(0)));
}

#[test]
fn after_a_round_without_bids_all_may_blind_dash_again() {
    given(Kabooot)
        .started()
        .when_all([blind_dash(0), blind_dash(1), enter(2), enter(3), pass(2), pass(3)])
        .then_happened(&["passed", "auction_void", "round_dealt"])
        .then_phase("blind_dash")
        .then_offered(&[enter(0), blind_dash(0)])
        .then_see(|scene| assert_eq!((scene.dealt().round, scene.dealt().attempt), (1, 2)));
}
