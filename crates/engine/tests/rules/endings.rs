//! The length of games, and their ends.

use estimation_engine::ruleset::RoundKind;

use crate::prelude::*;

fn kinds(scene: &Scene) -> Vec<RoundKind> {
    let dealt = scene.record.iter().filter_map(|event| match event {
        Event::RoundDealt(dealt) => Some((dealt.round, dealt.kind)),
        _ => None,
    });
    let mut rounds: Vec<(u8, RoundKind)> = dealt.collect();
    rounds.dedup();
    assert!(rounds.iter().map(|&(round, _)| round).eq(1..=rounds.len() as u8));
    rounds.into_iter().map(|(_, kind)| kind).collect()
}

#[test]
fn a_game_has_eighteen_ten_or_five_rounds() {
    for id in [Squares, Kabooot, Plain, DoubleRisk] {
        for (length, auctions, fast) in [("full", 13, 5), ("mini", 5, 5), ("micro", 5, 0)] {
            let options = if id == Plain { plain() } else { given(id) };
            let scene = options.with("length", length).started().played_to_the_end();
            let mut expected = vec![RoundKind::Auction; auctions];
            expected.extend(vec![RoundKind::Fast; fast]);
            assert_eq!(kinds(&scene), expected, "{id} {length}");
            assert_eq!(view(&scene.game, None).status, GameStatus::Finished);
        }
    }
    assert_eq!(kinds(&given(Nineteen).started().played_to_the_end()), vec![RoundKind::Indicator; 19]);
}

#[test]
fn the_round_number_of_a_short_kabooot_is_its_own() {
    // kabooot S1: round 6 of a mini game is accelerated and worth 6. 4, 3, 3, 2 are said and 4, 3, 3, 3
    // taken: seat 0, the Risk at d = 1, is the only loser.
    given(Kabooot)
        .with("length", "mini")
        .started()
        .up_to_round(6)
        .when_all([estimate(1, 4), estimate(2, 3), estimate(3, 3), estimate(0, 2)])
        .played_out()
        .then_points(&[-27, 20, 9, 9]);
}

#[test]
fn equal_totals_share_a_rank() {
    // Simple hands of plain are worth 4, 3, 3, −1 from the first speaker on.
    plain()
        .with("length", "micro")
        .started()
        .played_to_the_end()
        .then_totals(&[13, 12, 12, 8])
        .then_see(|scene| assert_eq!(ranks(scene), [1, 2, 2, 4]));
    // In the last hand, seat 0 begins, says 5 and takes 4, and seat 3 says 0 and takes 3.
    plain()
        .with("length", "micro")
        .started()
        .up_to_round(5)
        .when_all([bid(0, 5, Spades), bid(3, 4, Clubs), bid(2, 4, Clubs), bid(1, 4, Clubs)])
        .when_all([estimate(3, 0), estimate(2, 3), estimate(1, 3)])
        .played_out()
        .then_happened(&["card_played", "trick_taken", "round_scored", "game_finished"])
        .then_totals(&[8, 12, 12, 6])
        .then_see(|scene| assert_eq!(ranks(scene), [3, 1, 1, 4]));
}

fn ranks(scene: &Scene) -> Vec<u8> {
    let ranks = view(&scene.game, None).scores.ranks.expect("the game is finished");
    ranks.values().copied().collect()
}

#[test]
fn a_game_of_folds_ends_in_a_tie() {
    let scene = given(Squares).with("length", "micro").started();
    let folds = |scene: Scene, round: u8| scene.when_all((0..4).map(|offset| pass((round + offset) % 4)));
    (0..5)
        .fold(scene, folds)
        .then_happened(&["passed", "round_folded", "round_scored", "game_finished"])
        .then_see(|scene| assert_eq!(ranks(scene), [1, 1, 1, 1]));
}

#[test]
fn in_nineteen_the_lowest_total_wins() {
    let scene = given(Nineteen).of(5).started().played_to_the_end();
    let totals: Vec<i32> = scene.game.sheet.totals.values().copied().collect();
    let ahead = |total: i32| totals.iter().filter(|&&other| other < total).count() as u8 + 1;
    assert_eq!(ranks(&scene), totals.iter().map(|&total| ahead(total)).collect::<Vec<_>>());
}

#[test]
fn after_the_end_no_player_acts_and_nothing_is_hidden() {
    given(Squares)
        .with("length", "micro")
        .started()
        .played_to_the_end()
        .then_see(|scene| {
            assert_eq!(scene.game.to_act(), None);
            let view = view(&scene.game, Some(Position::Seat(Seat::new(0))));
            assert!(view.legal.is_empty() && view.round.is_none());
            assert!(view.fairness.server_seed.is_some());
        })
        .refuses(pass(0), Rejection::NotPlaying { status: GameStatus::Finished });
}

/// A5: `resume` is legal in every player's turn. After the end it is nobody's turn.
#[test]
fn a_player_whose_bot_played_to_the_end_cannot_return() {
    for id in [DoubleRisk, Kabooot, Nineteen, Plain, Squares] {
        let options = if id == Plain { plain() } else { given(id) };
        let options = if id == Nineteen { options } else { options.with("length", "micro") };
        let mut scene = options.started();
        let seat = Seat::new(1);
        evolve(&mut scene.game, &Event::StandInBegan { seat });
        let resume = || Act { chair: Position::Seat(seat), command: Command::Resume {} };
        assert!(legal_commands(&scene.game, resume().chair).contains(&Command::Resume {}), "{id}");
        let scene = scene.played_to_the_end();
        assert_eq!(legal_commands(&scene.game, resume().chair), [], "{id}");
        scene.refuses(resume(), Rejection::NotPlaying { status: GameStatus::Finished });
    }
}
