//! Fair deals: the server commits to seeds beforehand, and anyone can check the packs afterwards.
//!
//! Contains the server seed and the derivation of packs. It stores no seed and reveals none before the game
//! is over.

mod deal;
mod seed;
mod seeded_chance;

pub use deal::{DealKey, GameSeeds};
pub use seed::ServerSeed;
pub use seeded_chance::SeededChance;

/// The way of dealing, described in [`DealKey`], as `game_created` names it. A change of dealing needs another name.
pub const ALGORITHM: &str = "estimation/deal/v2";
