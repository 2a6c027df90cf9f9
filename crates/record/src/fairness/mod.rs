//! Fair deals: seeds committed to beforehand, packs that anyone can check afterwards.
//!
//! Owns the server seed and the way from seeds to packs. It never stores a seed, and never says one before
//! the game is over.

mod deal;
mod seed;
mod seeded_chance;

pub use deal::DealKey;
pub use seed::ServerSeed;
pub use seeded_chance::SeededChance;

/// The way of dealing described in [`DealKey`], as `game_created` names it.
pub const ALGORITHM: &str = "estimation/deal/v1";
