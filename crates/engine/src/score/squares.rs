//! The score of `squares`: (base + extras) × multiplier.

use super::{CallKind, Lines, Player, Reason};
use crate::ruleset::{HalfSquare, HighCallExtras, Length, Ruleset};
use crate::seat::SeatSet;

/// Calls from this number on score their square.
const HIGH_CALL: u8 = 8;

/// The doublings of a round besides the carry: round 13 of a full game, and two or more Withs (R11).
pub(super) fn doublings(rules: &Ruleset, round: u8, withs: SeatSet) -> u32 {
    let thirteenth = rules.length == Length::Full && round == 13;
    (if thirteenth { 2 } else { 1 }) * (if withs.len() >= 2 { 2 } else { 1 })
}

/// The first base line that applies, then the extras.
pub(super) fn lines(player: &Player<'_>) -> Lines {
    let mut lines = if player.made() { base_made(player) } else { base_lost(player) };
    let high = player.call.tricks >= HIGH_CALL;
    let extras = if high { player.rules.high_call_extras } else { HighCallExtras::All };
    if extras != HighCallExtras::None {
        if player.only_winner {
            lines.points(Reason::OnlyWinner, 10);
        }
        if player.only_loser {
            lines.points(Reason::OnlyLoser, -10);
        }
    }
    let level = player.risk_level(4);
    if extras == HighCallExtras::All && player.risk && level > 0 {
        lines.points(Reason::Risk, if player.made() { 10 * level } else { -10 * level });
    }
    lines
}

fn base_made(player: &Player<'_>) -> Lines {
    let call = i32::from(player.call.tricks);
    if player.call.kind == CallKind::DashCall {
        return Lines::single(Reason::DashCall, if player.over() { 23 } else { 33 });
    }
    if player.call.tricks >= HIGH_CALL {
        return Lines::single(Reason::HighCall, call * call);
    }
    if player.is_dash() {
        return Lines::single(Reason::Dash, 10);
    }
    let mut lines = Lines::single(Reason::Tricks, call);
    match (player.bidder, player.with) {
        (true, _) => lines.points(Reason::Bidder, 20),
        (_, true) => lines.points(Reason::With, 20),
        _ => lines.points(Reason::Made, 10),
    }
    lines
}

fn base_lost(player: &Player<'_>) -> Lines {
    if player.call.kind == CallKind::DashCall {
        return Lines::single(Reason::DashCall, -23);
    }
    if player.call.tricks >= HIGH_CALL {
        let square = i32::from(player.call.tricks).pow(2);
        let half = match player.rules.half_square {
            HalfSquare::Floor => square / 2,
            HalfSquare::Ceil => (square + 1) / 2,
        };
        return Lines::single(Reason::HighCall, -half);
    }
    if player.is_dash() {
        return Lines::single(Reason::Dash, -10);
    }
    let mut lines = Lines::single(Reason::Difference, -player.difference());
    if player.bidder {
        lines.points(Reason::Bidder, -10);
    } else if player.with_pays() {
        lines.points(Reason::With, -10);
    }
    lines
}
