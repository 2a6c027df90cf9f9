//! The background jobs that work in pieces, and where a piece runs.

/// A job that works in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacedJob {
    /// Verifies and signs ended games.
    Sign,
    /// Gives the ends of games to the public log.
    Log,
    /// Counts ended games.
    Count,
    /// Packs logs.
    Pack,
    /// Grows the public log.
    Grow,
}

impl PacedJob {
    pub const ALL: [PacedJob; 5] =
        [PacedJob::Sign, PacedJob::Log, PacedJob::Count, PacedJob::Pack, PacedJob::Grow];

    /// Its name in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            PacedJob::Sign => "sign",
            PacedJob::Log => "log",
            PacedJob::Count => "count",
            PacedJob::Pack => "pack",
            PacedJob::Grow => "grow",
        }
    }
}

/// Where a piece runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceThread {
    Reader,
    Writer,
}
