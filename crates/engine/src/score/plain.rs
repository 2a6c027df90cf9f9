//! The score of `plain`: tricks, or minus the difference.

use super::{Lines, Player, Reason};

/// Made: + tricks. Lost: − |call − tricks|.
pub(super) fn lines(player: &Player<'_>) -> Lines {
    if player.made() {
        Lines::single(Reason::Tricks, player.tricks.into())
    } else {
        Lines::single(Reason::Difference, -player.difference())
    }
}
