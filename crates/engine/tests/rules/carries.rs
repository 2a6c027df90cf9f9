//! Void rounds and their effect on the next: folds, rounds without a winner, the ladders.

use crate::prelude::*;

/// A round in which all four lose: 4, 3, 3, 2 are called from the first speaker on, and 3, 4, 2, 4 taken.
fn all_lose(scene: Scene) -> Scene {
    let first = scene.round().first_speaker().index() as u8;
    let seat = |offset: u8| (first + offset) % 4;
    let scene = if scene.game.rules().id == Kabooot {
        scene.when_all((0..4).map(|offset| enter(seat(offset))))
    } else {
        scene
    };
    scene
        .when(bid(seat(0), 4, Spades))
        .when_all((1..4).map(|offset| pass(seat(offset))))
        .when_all([estimate(seat(1), 3), estimate(seat(2), 3), estimate(seat(3), 2)])
        .played_out()
        .then_points(&[0, 0, 0, 0])
}

fn three_rounds_without_a_winner(options: Given) -> Given {
    (0..3).fold(options, |options, round: u8| {
        let mut by_seat = [3, 4, 2, 4];
        by_seat.rotate_right(round.into());
        options.tricks(round + 1, by_seat, Spades)
    })
}

#[test]
fn three_rounds_without_a_winner_climb_the_ladder() {
    for id in [Squares, Kabooot, DoubleRisk] {
        for (ladder, carries) in [("add", [2, 3, 4]), ("double", [2, 4, 8]), ("flat", [2, 2, 2])] {
            let mut scene = three_rounds_without_a_winner(given(id).with("carry_ladder", ladder)).started();
            let mut carried = 1;
            for carry in carries {
                scene = all_lose(scene);
                let scored = scene.scored();
                assert_eq!((scored.multiplier, scored.next_carry), (carried, carry), "{id} {ladder}");
                assert_eq!(scene.dealt().carry, carry);
                carried = carry;
            }
            // A round with a winner is multiplied, and ends the streak.
            let plain = points_of_round_4(&given(id).started().up_to_round(5));
            let scene = scene.up_to_round(5);
            assert_eq!(scene.dealt().carry, 1);
            let multiplied: Vec<i32> = plain.iter().map(|points| points * carried as i32).collect();
            assert_eq!(points_of_round_4(&scene), multiplied, "{id} {ladder}");
        }
    }
}

fn points_of_round_4(scene: &Scene) -> Vec<i32> {
    view(&scene.game, None).scores.rounds[3].points.values().copied().collect()
}

#[test]
fn a_fold_before_round_thirteen_with_two_withs_makes_eight() {
    // The worked example "Everything doubles" of squares.
    given(Squares)
        .tricks(13, [4, 4, 5, 0], NoTrump)
        .started()
        .up_to_round(12)
        .when_all([pass(3), pass(0), pass(1), pass(2)])
        .then_happened(&["passed", "round_folded", "round_scored", "round_dealt"])
        .then_points(&[0, 0, 0, 0])
        .then_see(|scene| assert_eq!((scene.scored().multiplier, scene.scored().next_carry), (1, 2)))
        .then_see(|scene| assert_eq!(shown_multiplier(scene), 4))
        .when_all([bid(0, 4, NoTrump), pass(1), pass(2), pass(3), estimate(1, 4)])
        .then_see(|scene| assert_eq!(shown_multiplier(scene), 4))
        .when(estimate(2, 4))
        .then_see(|scene| assert_eq!(shown_multiplier(scene), 8))
        .when(estimate(3, 0))
        .played_out()
        .then_points(&[192, 192, -88, 160])
        .then_see(|scene| assert_eq!((scene.scored().multiplier, scene.scored().next_carry), (8, 1)));
}

fn shown_multiplier(scene: &Scene) -> u32 {
    view(&scene.game, None).round.expect("a round").multiplier
}

#[test]
fn folds_and_rounds_without_a_winner_share_a_counter() {
    let scene = given(Squares)
        .tricks(2, [4, 3, 4, 2], Spades)
        .started()
        .when_all([pass(0), dash_call(1), pass(2), dash_call(3)])
        .then_happened(&["dash_called", "round_folded", "round_scored", "round_dealt"])
        // Its dash callers score nothing either (squares R15).
        .then_points(&[0, 0, 0, 0]);
    all_lose(scene)
        .then_see(|scene| assert_eq!((scene.scored().multiplier, scene.scored().next_carry), (2, 3)))
        .when_all([pass(2), pass(3), pass(0), pass(1)])
        .then_see(|scene| assert_eq!((scene.scored().multiplier, scene.scored().next_carry), (3, 4)))
        .then_see(|scene| assert_eq!((scene.dealt().round, scene.dealt().carry), (4, 4)));
}

#[test]
fn a_folded_round_thirteen_shows_twice_its_carry_and_hands_on_its_carry() {
    given(Squares)
        .started()
        .up_to_round(13)
        .when_all([pass(0), pass(1), pass(2), pass(3)])
        .then_see(|scene| assert_eq!((scene.scored().multiplier, scene.scored().next_carry), (2, 2)));
}

#[test]
fn a_round_without_a_winner_is_scored_where_no_round_is_void() {
    plain()
        .tricks(1, [3, 4, 2, 4], Spades)
        .started()
        .when_all([bid(0, 4, Spades), bid(3, 4, Clubs)])
        .when_all([dash_call(2), dash_call(1), estimate(3, 3)])
        .played_out()
        .then_points(&[-1, -4, -2, -1])
        .then_see(|scene| assert_eq!(scene.scored().next_carry, 1));
    let scene = given(Nineteen).started().played_to_the_end();
    assert!(scene.record.iter().all(|event| match event {
        Event::RoundScored(scored) => scored.next_carry == 1,
        _ => true,
    }));
}

#[test]
fn a_redeal_and_an_auction_without_a_bid_leave_the_carry_as_it_was() {
    for id in [Kabooot, DoubleRisk] {
        let scene = all_lose(three_rounds_without_a_winner(given(id)).started());
        let answers = |id: RulesetId| if id == Kabooot { vec![1, 2, 3, 0] } else { vec![] };
        scene
            .when_all(answers(id).into_iter().map(enter))
            .when_all([pass(1), pass(2), pass(3), pass(0)])
            .then_happened(&["passed", "auction_void", "round_dealt"])
            .then_see(|scene| {
                let dealt = scene.dealt();
                assert_eq!((dealt.round, dealt.attempt, dealt.carry), (2, 2, 2));
            });
    }
}
