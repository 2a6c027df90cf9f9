//! How the players of a game contributed to its shuffles.

use estimation_engine::client_seed::PlayerSeed;
use estimation_engine::game::Table;
use serde::Serialize;

/// The people in dealt games, by what their client seeds prove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SeedCounts {
    /// Those who committed to a seed before any other such seed was known.
    pub committed: u64,
    /// Those without a seed.
    pub without: u64,
}

impl SeedCounts {
    /// Counts the people at a table.
    pub(super) fn of(table: &Table) -> SeedCounts {
        let mut counts = SeedCounts::default();
        for sitter in table.places.values().flatten().filter(|sitter| sitter.player.account().is_some()) {
            match sitter.seed {
                PlayerSeed::Opened { .. } => counts.committed += 1,
                _ => counts.without += 1,
            }
        }
        counts
    }

    pub(super) fn add(&mut self, other: &SeedCounts) {
        self.committed += other.committed;
        self.without += other.without;
    }
}
