//! Fair deals: the server commits to seeds beforehand, and anyone can check the packs afterwards.
//!
//! Contains the server seed and the derivation of packs. It stores no seed and reveals none before the game
//! is over.

mod deal;
mod seed;
mod seeded_chance;

pub use deal::DealKey;
pub use seed::ServerSeed;
pub use seeded_chance::SeededChance;

/// The algorithm described in [`DealKey`], as `game_created` names it.
pub const ALGORITHM: &str = "estimation/deal/v1";
