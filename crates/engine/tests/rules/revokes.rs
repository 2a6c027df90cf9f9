use estimation_engine::card::Suit::Hearts;
use estimation_engine::legal::{Legal, legal};
use estimation_engine::sheet::sheet;

use crate::prelude::*;

fn penalised() -> Given {
    given(Nineteen).with("revokes", "penalise")
}

fn unlawful(scene: &Scene) -> CardSet {
    match (&scene.game.stage, scene.game.to_act()) {
        (Stage::Round(round), Some(Position::Seat(seat))) if matches!(round.phase, Phase::Play(_)) => {
            match legal(&scene.game, Position::Seat(seat)) {
                Legal::Cards(lawful) => round.hands[seat] & !lawful,
                _ => CardSet::EMPTY,
            }
        }
        _ => CardSet::EMPTY,
    }
}

/// Plays until a player can revoke, and revokes. Returns the seat.
fn revoke_once(scene: Scene) -> (Scene, Seat) {
    let scene = scene.up_to(|scene| !unlawful(scene).is_empty());
    let chair = scene.game.to_act().expect("a turn");
    let Position::Seat(seat) = chair else { panic!("a seat plays") };
    let card = unlawful(&scene).iter().next().expect("a card");
    let points = 2 * i32::from(scene.round().hand_size);
    let scene = scene
        .when(Act { chair, command: Command::Play { card } })
        .then_happened(&["card_played", "revoked", "round_dealt"])
        .then(Event::Revoked { seat, card, points });
    (scene, seat)
}

/// Turn 4: seat 3 deals, seat 0 speaks first, seat 1 leads a heart; seat 2 holds one heart.
fn turn_four(options: Given) -> Scene {
    let hands = ["AC KC QC JC", "AH 10D 9D 8D", "10C 10H 9C 8C", "KH KD QD JD"];
    options.hands(deal(4, 1), &hands, Some("AS")).started().up_to_round(4).when_all([
        estimate(0, 0),
        estimate(1, 1),
        estimate(2, 0),
        estimate(3, 0),
        play(1, "AH"),
    ])
}

#[test]
fn a_revoke_costs_twice_the_hand_and_the_turn_is_dealt_again() {
    let before = turn_four(penalised()).game.sheet.totals[Seat::new(2)];
    turn_four(penalised())
        .then_offered(&[play(2, "10H")])
        .refuses(play(2, "AC"), Rejection::CardNotHeld { card: "AC".parse().unwrap() })
        .when(play(2, "10C"))
        .then_happened(&["card_played", "revoked", "round_dealt"])
        .then_see(|scene| {
            let dealt = scene.dealt();
            assert_eq!((dealt.round, dealt.attempt, dealt.dealer), (4, 2, Seat::new(3)));
            assert_eq!(scene.game.sheet.totals[Seat::new(2)], before + 8);
            assert_eq!(scene.game.sheet.rounds.len(), 3);
        })
        .then_phase("estimates")
        .then_turn_of(0);
}

#[test]
fn otherwise_it_is_refused() {
    turn_four(given(Nineteen))
        .refuses(play(2, "10C"), Rejection::MustFollowSuit { led: Hearts })
        .refuses(play(2, "AH"), Rejection::CardNotHeld { card: "AH".parse().unwrap() })
        .when(play(2, "10H"))
        .then_turn_of(3);
}

#[test]
fn several_revokes_in_a_turn_add_up() {
    let scene = penalised().with("order", "10-1-10").started();
    let (scene, first) = revoke_once(scene);
    let (scene, second) = revoke_once(scene);
    let scene = scene.up_to(|scene| scene.game.sheet.rounds.len() == 1);
    let penalties = view(&scene.game, None).scores.penalties;
    let charged: Vec<_> =
        penalties.iter().map(|foul| (foul.round, foul.attempt, foul.seat, foul.points)).collect();
    assert_eq!(charged, [(1, 1, first, 20), (1, 2, second, 20)]);
    // The points of the turn are the replay's; the totals have the charges (nineteen S6).
    let row = &sheet(&scene.game)[0];
    for (seat, cell) in row.seats.iter() {
        let fouls = i32::from(seat == first) * 20 + i32::from(seat == second) * 20;
        assert_eq!(cell.total, cell.points + fouls);
        assert_eq!(scene.game.sheet.totals[seat], cell.total);
    }
}

#[test]
fn the_last_turn_is_no_exception() {
    let last_turn = |scene: &Scene| scene.game.sheet.rounds.len() == 18;
    let scene = penalised().with("order", "10-1-10").started().up_to(last_turn);
    let before = scene.game.sheet.totals.clone();
    let (scene, first) = revoke_once(scene);
    assert_eq!((scene.dealt().round, scene.dealt().attempt), (19, 2));
    let (scene, second) = revoke_once(scene);
    let scene = scene.played_to_the_end();
    let points = scene.scored().points.clone();
    assert_eq!(scene.dealt().attempt, 3);
    for (seat, total) in scene.game.sheet.totals.iter() {
        let fouls = i32::from(seat == first) * 20 + i32::from(seat == second) * 20;
        assert_eq!(*total, before[seat] + points[seat] + fouls);
    }
    scene.then_happened(&["card_played", "trick_taken", "round_scored", "game_finished"]);
}

#[test]
fn keeping_back_a_suited_card_to_play_a_suitless_joker_is_a_revoke() {
    // nineteen S3, on turn 2: seat 1 deals, seat 3 leads.
    penalised()
        .with("jokers", 2)
        .hands(deal(2, 1), &["AS KS", "6S 7H", "BJ 8S", "9S 9H"], Some("RJ"))
        .started()
        .up_to_round(2)
        .when_all([estimate(2, 0), estimate(3, 0), estimate(0, 0), estimate(1, 0), play(3, "6S")])
        .when(play(0, "BJ"))
        .then(Event::Revoked { seat: Seat::new(0), card: "BJ".parse().unwrap(), points: 4 });
}

#[test]
fn nothing_is_a_revoke_on_a_suitless_joker() {
    penalised()
        .with("jokers", 2)
        .hands(deal(2, 1), &["AS KS", "BJ 7H", "8H 8S", "9S 9H"], Some("RJ"))
        .started()
        .up_to_round(2)
        .when_all([estimate(2, 0), estimate(3, 0), estimate(0, 0), estimate(1, 0), play(3, "BJ")])
        .when_all([play(0, "8S"), play(1, "9H"), play(2, "KS")])
        .then(Event::TrickTaken { seat: Seat::new(3) });
}
