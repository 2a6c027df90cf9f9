//! The score of `kabooot`: the round's number is part of every line.

use super::{CallKind, Lines, Player, Reason};

/// The sum, which the carry multiplies.
pub(super) fn lines(player: &Player<'_>) -> Lines {
    let mut lines = if player.made() { made(player) } else { lost(player) };
    if player.kabooot_by_other {
        lines.points(Reason::KaboootByOther, -25);
    }
    lines
}

fn made(player: &Player<'_>) -> Lines {
    let tricks = i32::from(player.tricks);
    let mut lines = Lines::single(Reason::Round, player.round.into());
    if player.call.kind == CallKind::BlindDash {
        // R6: the printed pair applies unless the table swaps it.
        let twenty = player.over() != player.rules.blind_dash_swap;
        lines.points(Reason::BlindDash, if twenty { 20 } else { 10 });
    } else if player.is_dash() {
        lines.points(Reason::Dash, if player.over() { 10 } else { 20 });
    } else {
        lines.points(Reason::Tricks, tricks);
        if player.bidder {
            lines.points(Reason::Bidder, 10);
        } else if player.with {
            lines.points(Reason::With, 10);
        }
    }
    if player.only_winner {
        lines.points(Reason::OnlyWinner, 10);
    }
    let level = player.risk_level(4);
    if player.risk && level > 0 {
        lines.points(Reason::Risk, 10 * level);
    }
    if player.call.tricks == 13 {
        lines.points(Reason::Kabooot, 50);
    }
    lines
}

fn lost(player: &Player<'_>) -> Lines {
    let mut lines = Lines::single(Reason::Round, -i32::from(player.round));
    lines.points(Reason::Difference, -player.difference());
    if player.call.kind == CallKind::BlindDash {
        lines.points(Reason::BlindDash, if player.over() { -20 } else { -10 });
    } else if player.is_dash() {
        lines.points(Reason::Dash, -20);
    } else if player.bidder {
        lines.points(Reason::Bidder, -10);
    } else if player.with_pays() {
        lines.points(Reason::With, -10);
    }
    if player.only_loser {
        lines.points(Reason::OnlyLoser, -10);
    }
    let level = player.risk_level(4);
    if player.risk && level > 0 {
        lines.points(Reason::Risk, -10 * level);
    }
    lines
}
