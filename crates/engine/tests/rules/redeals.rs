use estimation_test_support::stacked::pack_lacking;

use crate::prelude::*;

const CHECKED: [RulesetId; 3] = [Squares, Kabooot, DoubleRisk];

#[test]
fn only_hands_that_lack_a_suit_are_asked_in_turn() {
    for id in CHECKED {
        given(id)
            .pack(deal(1, 1), pack_lacking(&[1, 3]))
            .started()
            .then_phase("void_check")
            .then_turn_of(1)
            .then_offered(&[redeal(1), avoid(1)])
            .refuses(avoid(0), Rejection::NotYourTurn { to_act: Some(Position::Seat(Seat::new(1))) })
            .refuses(pass(1), Rejection::WrongPhase { phase: PhaseKind::VoidCheck })
            .when(avoid(1))
            .then_turn_of(3)
            .when(avoid(3))
            .then_turn_of(0)
            .refuses(
                redeal(0),
                Rejection::WrongPhase {
                    phase: if id == Kabooot { PhaseKind::BlindDash } else { PhaseKind::Auction },
                },
            )
            .then_see(|scene| {
                let avoided: SeatSet = [1, 3].into_iter().map(Seat::new).collect();
                assert_eq!(scene.round().avoided, avoided);
            });
    }
}

#[test]
fn a_redeal_after_a_redeal_keeps_round_starter_and_carry() {
    for id in CHECKED {
        given(id)
            .pack(deal(3, 1), pack_lacking(&[0]))
            .pack(deal(3, 2), pack_lacking(&[0, 1, 2, 3]))
            .pack(deal(3, 3), pack_lacking(&[2]))
            .started()
            .up_to_round(3)
            // Seat 2 starts round 3.
            .then_turn_of(2)
            .when(redeal(2))
            .then_happened(&["redeal_called", "round_dealt"])
            .then_turn_of(2)
            .when_all([avoid(2), avoid(3)])
            // One player's choice is enough, and earlier avoids no longer count.
            .when(redeal(0))
            .then_happened(&["redeal_called", "round_dealt"])
            .then_see(|scene| {
                let dealt = scene.dealt();
                assert_eq!((dealt.round, dealt.attempt, dealt.carry), (3, 3, 1));
                assert_eq!(dealt.first_speaker, Seat::new(2));
                assert!(scene.round().avoided.is_empty());
            })
            .then_turn_of(0)
            .when(redeal(0))
            .then_see(|scene| assert_eq!((scene.dealt().round, scene.dealt().attempt), (3, 4)));
    }
}

#[test]
fn a_redeal_keeps_a_carry_that_is_pending() {
    given(Squares)
        .pack(deal(2, 1), pack_lacking(&[3]))
        .pack(deal(2, 2), pack_lacking(&[3]))
        .started()
        .when_all([pass(0), pass(1), pass(2), pass(3)])
        .when_all([redeal(0), redeal(0)])
        .then_see(|scene| assert_eq!((scene.dealt().attempt, scene.dealt().carry), (3, 2)));
}

#[test]
fn in_fast_rounds_every_such_hand_is_announced_unasked() {
    for id in CHECKED {
        let scene = given(id).pack(deal(14, 1), pack_lacking(&[0, 2])).started().up_to_round(14);
        scene
            .then_happened(&[
                "card_played",
                "trick_taken",
                "round_scored",
                "round_dealt",
                "avoid_declared",
                "avoid_declared",
            ])
            .then_phase("estimates")
            .then_turn_of(1)
            .then_see(|scene| {
                let avoided: SeatSet = [1, 3].into_iter().map(Seat::new).collect();
                assert_eq!(scene.round().avoided, avoided);
            })
            .refuses(redeal(1), Rejection::WrongPhase { phase: PhaseKind::Estimates });
    }
}

#[test]
fn with_fast_redeal_fast_rounds_ask_like_the_others() {
    for id in CHECKED {
        given(id)
            .with("fast_redeal", true)
            .pack(deal(14, 1), pack_lacking(&[0, 2]))
            .pack(deal(14, 2), pack_lacking(&[1]))
            .started()
            .up_to_round(14)
            .then_phase("void_check")
            .then_turn_of(1)
            .when(avoid(1))
            .when(redeal(3))
            .then_turn_of(2)
            .when(redeal(2))
            .then_phase("estimates")
            .then_see(|scene| assert_eq!((scene.dealt().round, scene.dealt().attempt), (14, 3)));
    }
}

#[test]
fn without_a_void_check_no_player_is_asked() {
    plain()
        .pack(deal(1, 1), pack_lacking(&[0, 1, 2, 3]))
        .started()
        .then_phase("auction")
        .refuses(redeal(0), Rejection::WrongPhase { phase: PhaseKind::Auction });
    given(Nineteen).started().then_phase("estimates");
}

#[test]
fn before_auction_questions_wait_for_the_void_check() {
    given(Squares)
        .with("dash_call_timing", "before_auction")
        .pack(deal(1, 1), pack_lacking(&[2]))
        .started()
        .then_phase("void_check")
        .refuses(dash_call(2), Rejection::WrongPhase { phase: PhaseKind::VoidCheck })
        .when(avoid(2))
        .then_phase("blind_dash")
        .then_turn_of(0);
}
