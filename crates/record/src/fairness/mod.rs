//! Fair deals: the server commits to seeds beforehand, and anyone can check the packs afterwards.
//!
//! Contains the server seed and the derivation of packs. It stores no seed and reveals none before the game
//! is over.

use estimation_engine::game::Table;

mod deal;
mod seed;
mod seeded_chance;

pub use deal::{DealKey, GameSeeds};
pub use seed::ServerSeed;
pub use seeded_chance::SeededChance;

/// The algorithm of new games, as `game_created` names it.
pub const ALGORITHM: Algorithm = Algorithm::V2;

/// A way of dealing, described in [`DealKey`]. It also says whether players can commit to client seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Client seeds are public as soon as they are set.
    V1,
    /// Players can commit to client seeds, and the start opens them.
    V2,
}

impl Algorithm {
    /// The name in a record.
    pub const fn as_str(self) -> &'static str {
        match self {
            Algorithm::V1 => "estimation/deal/v1",
            Algorithm::V2 => "estimation/deal/v2",
        }
    }

    /// The algorithm with a name; none for an unknown name.
    pub fn from_name(name: &str) -> Option<Algorithm> {
        [Algorithm::V1, Algorithm::V2].into_iter().find(|known| known.as_str() == name)
    }

    /// The algorithm of a table. Only the second one has commitments.
    pub fn of(table: &Table) -> Algorithm {
        if table.opening_seconds.is_some() { Algorithm::V2 } else { Algorithm::V1 }
    }
}
