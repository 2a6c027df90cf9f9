//! The penalty points of `nineteen`.

use super::{Lines, Player, Reason};

/// 0 if the estimate was met, else hand size + max(tricks, estimate) (R3).
pub(super) fn lines(player: &Player<'_>) -> Lines {
    if player.made() {
        return Lines::single(Reason::Made, 0);
    }
    let mut lines = Lines::single(Reason::HandSize, player.hand_size.into());
    lines.points(Reason::LargerOfCallAndTricks, player.tricks.max(player.call.tricks).into());
    lines
}
