//! Public data of players: profiles, their games, statistics and leaderboards.
//!
//! Ended games are counted in the background, each once. Every caller with a token may read this data.
//! Deleting an account removes its name, games and statistics; the games' records stay.

pub(in crate::app) mod count;
mod leaderboard;
mod profile;
pub mod rating;
mod statistics;

pub use leaderboard::{LEADERBOARD_GAMES, LeaderboardPage, RankedPlayer};
pub use profile::{PlayerGames, PlayerProfile, ProfileKind};
pub use statistics::{PlayerStatistics, RulesetStatistics};

use std::sync::Arc;

use super::clock::Clock;
use super::games::Games;
use super::handles::Handles;
use super::names::Names;
use super::pacing::Pacer;
use super::skipped_games::SkippedGames;
use crate::store::Database;

pub struct Players {
    database: Database,
    clock: Arc<dyn Clock>,
    games: Arc<Games>,
    names: Arc<Names>,
    skipped_games: Arc<SkippedGames>,
    pacer: Arc<Pacer>,
}

impl Players {
    pub(super) fn new(
        handles: &Handles,
        games: Arc<Games>,
        names: Arc<Names>,
        skipped_games: Arc<SkippedGames>,
    ) -> Players {
        let Handles { database, clock, pacer, .. } = handles.clone();
        Players { database, clock, games, names, skipped_games, pacer }
    }
}
