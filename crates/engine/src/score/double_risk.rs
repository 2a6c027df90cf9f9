//! The score of `double-risk`: (X + Y) · Z · W, where W is the carry.

use super::{CallKind, Lines, Player, Reason};

/// X and the parts of Y are added; Z doubles calls of 8 and more (R7).
pub(super) fn lines(player: &Player<'_>) -> Lines {
    let made = player.made();
    let signed = |points: i32| if made { points } else { -points };
    let mut lines = if made {
        Lines::single(Reason::Call, player.call.tricks.into())
    } else {
        Lines::single(Reason::Difference, -player.difference())
    };
    if player.call.kind == CallKind::DashCall {
        lines.points(Reason::DashCall, signed(23));
    } else {
        if made {
            lines.points(Reason::Made, 10);
        }
        if player.bidder {
            lines.points(Reason::Bidder, signed(10));
        } else if player.with && (made || player.with_pays()) {
            lines.points(Reason::With, signed(10));
        }
        // R3: Risk and Double Risk are the first two steps of the ladder in `squares` and `kabooot`.
        match player.risk_level(2) {
            1 if player.risk => lines.points(Reason::Risk, signed(10)),
            2 if player.risk => lines.points(Reason::DoubleRisk, signed(20)),
            _ => {}
        }
    }
    if player.only_winner {
        lines.points(Reason::OnlyWinner, 10);
    }
    if player.only_loser {
        lines.points(Reason::OnlyLoser, -10);
    }
    // R6: the clause covers dash calls as well as dashes.
    if player.total < 13 && player.call.tricks == 0 {
        lines.points(Reason::Under, signed(10));
    }
    if player.call.tricks >= 8 {
        lines.factor(Reason::HighCall, 2);
    }
    lines
}
