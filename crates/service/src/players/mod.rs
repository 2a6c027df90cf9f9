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

use super::games::Games;
use crate::base::handles::Handles;
use crate::base::names::Names;
use estimation_store::Database;

pub struct Players {
    database: Database,
    games: Arc<Games>,
    names: Arc<Names>,
}

impl Players {
    pub(super) fn new(handles: &Handles, games: Arc<Games>, names: Arc<Names>) -> Players {
        Players { database: handles.database.clone(), games, names }
    }
}
