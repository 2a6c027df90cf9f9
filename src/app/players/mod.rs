//! Players as others see them: profiles, the games they sit in, what they have reached, and leaderboards.
//!
//! What is over is counted in the background, each game once. Everything shown here is for whoever has a token. Names, games and figures of an account are gone when it is
//! erased; what was played stays in the games' own records.

mod count;
mod leaderboard;
mod profile;
pub mod rating;
mod statistics;

pub use leaderboard::{LEADERBOARD_GAMES, LeaderboardPage, RankedPlayer};
pub use profile::{PlayerGames, PlayerKind, PlayerProfile};
pub use statistics::{PlayerStatistics, RulesetStatistics};
