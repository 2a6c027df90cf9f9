//! When a player who leaves has seen a deal.

use estimation_engine::break_off::{BreakOffKind, break_offs};
use estimation_engine::event::AbandonReason;
use estimation_engine::hex::Hex;

use crate::prelude::*;

fn forfeits(game: &Game, seat: u8) -> Vec<BreakOffKind> {
    let seat = Seat::new(seat);
    let actor = Actor::at(Position::Seat(seat));
    let broken = break_offs(game, actor, &Event::PlayerForfeited { seat });
    let account = game.table.sitters().nth(seat.index()).flatten().and_then(|sitter| sitter.player.account());
    assert!(broken.iter().all(|broken| Some(&broken.account) == account));
    broken.into_iter().map(|broken| broken.kind).collect()
}

fn expires(game: &Game) -> usize {
    let expired = Event::GameAbandoned { reason: AbandonReason::Expired, server_seed: Hex([0; 32]) };
    break_offs(game, Actor::Server, &expired).len()
}

fn cut_table() -> Scene {
    given(Plain).with("seating", "as_joined").started()
}

#[test]
fn a_player_who_leaves_before_the_first_deal_breaks_nothing_off() {
    let scene = cut_table().then_phase("cutting");
    assert_eq!((forfeits(&scene.game, 1), expires(&scene.game)), (vec![], 0));
    let dealt = scene.step();
    assert_eq!((forfeits(&dealt.game, 1), expires(&dealt.game)), (vec![BreakOffKind::GameLeft], 1));
}

/// The pack is cut again, and everybody has seen the first deal.
#[test]
fn a_deal_that_was_void_was_seen() {
    let mut scene = cut_table().step();
    evolve(&mut scene.game, &Event::RedealCalled { seat: Seat::new(2) });
    assert_eq!((forfeits(&scene.game, 3), expires(&scene.game)), (vec![BreakOffKind::GameLeft], 1));
}
