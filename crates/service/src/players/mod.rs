//! Public data of players: profiles, their games, statistics and leaderboards.
//!
//! Break-offs are counted with their events, in the same transactions (`games/commit.rs`).
//! Ended games are counted in the background (`endings/count.rs`), each once. Every caller with a token may read this data.
//! Deleting an account removes its name, games and statistics; the games' records stay.

mod leaderboard;
mod profile;
pub mod rating;
mod statistics;

pub use leaderboard::{LEADERBOARD_GAMES, LeaderboardPage, RankedPlayer};
pub use profile::{PlayerGames, PlayerProfile, ProfileKind};
pub use statistics::{BrokenOff, PlayerStatistics, RulesetStatistics};

use std::sync::Arc;

use crate::base::names::Names;
use crate::games::Games;
use estimation_store::Database;

pub struct Players {
    pub(crate) database: Database,
    pub(crate) games: Arc<Games>,
    pub(crate) names: Arc<Names>,
}
