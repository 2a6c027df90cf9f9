//! A bot's thinking budget: a number of playouts, or a time limit.

/// A bot's thinking budget.
///
/// Only `sharp` uses it. With [`Budget::Playouts`] its choice depends only on the view and the dice; with
/// [`Budget::Until`] also on the machine's speed.
#[derive(Clone, Copy)]
pub enum Budget<'a> {
    /// At most this many playouts of a round.
    Playouts(u32),
    /// Until this returns true. Called every few dozen playouts.
    Until(&'a dyn Fn() -> bool),
}

/// The maximum number of playouts under a time limit, in case it never ends.
const MAX_PLAYOUTS: u32 = 200_000;

impl Budget<'_> {
    /// Whether the budget allows more than `played` playouts.
    pub(super) fn allows(&self, played: u32) -> bool {
        match self {
            Budget::Playouts(max) => played < *max,
            Budget::Until(over) => played < MAX_PLAYOUTS && !over(),
        }
    }

    /// The number of playouts that are certainly allowed.
    pub(super) fn max_playouts(&self) -> u32 {
        match self {
            Budget::Playouts(max) => *max,
            Budget::Until(_) => MAX_PLAYOUTS,
        }
    }
}
