//! Players as others see them: profiles, the games they sit in, what they have reached, and leaderboards.
//!
//! Ended games are counted in the background, each once. Every caller with a token may see what is shown here.
//! Names, games and figures of an account are gone when it is erased; what was played stays in the games' records.

mod count;
mod leaderboard;
mod profile;
pub mod rating;
mod statistics;

pub use leaderboard::{LEADERBOARD_GAMES, LeaderboardPage, RankedPlayer};
pub use profile::{PlayerGames, PlayerKind, PlayerProfile};
pub use statistics::{PlayerStatistics, RulesetStatistics};

use std::sync::Arc;

use super::clock::Clock;
use super::games::Games;
use super::handles::Handles;
use super::names::Names;
use super::skipped_games::SkippedGames;
use crate::store::Database;

pub struct Players {
    database: Database,
    clock: Arc<dyn Clock>,
    games: Arc<Games>,
    names: Arc<Names>,
    skipped_games: Arc<SkippedGames>,
}

impl Players {
    pub(super) fn new(
        handles: &Handles,
        games: Arc<Games>,
        names: Arc<Names>,
        skipped_games: Arc<SkippedGames>,
    ) -> Players {
        let Handles { database, clock, .. } = handles.clone();
        Players { database, clock, games, names, skipped_games }
    }
}
