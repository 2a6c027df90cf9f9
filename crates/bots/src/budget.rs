//! How long a bot may think: a number of playouts, or until somebody with a clock says so.

/// How long a bot may think.
///
/// Only `sharp` thinks longer for a larger budget. With [`Budget::Playouts`] its choice depends on nothing
/// but the view and the dice; with [`Budget::Until`] also on how fast the machine is.
#[derive(Clone, Copy)]
pub enum Budget<'a> {
    /// So many playouts of a round, and no more.
    Playouts(u32),
    /// Until this says that the time is up. It is asked every few dozen playouts.
    Until(&'a dyn Fn() -> bool),
}

/// How many playouts there are at most where a clock decides: a slow clock must not run for ever.
const MOST_PLAYOUTS: u32 = 200_000;

impl Budget<'_> {
    /// Whether there is time for more, after so many playouts.
    pub(super) fn allows(&self, played: u32) -> bool {
        match self {
            Budget::Playouts(most) => played < *most,
            Budget::Until(over) => played < MOST_PLAYOUTS && !over(),
        }
    }

    /// The number of playouts that are known to be allowed.
    pub(super) fn most(&self) -> u32 {
        match self {
            Budget::Playouts(most) => *most,
            Budget::Until(_) => MOST_PLAYOUTS,
        }
    }
}
