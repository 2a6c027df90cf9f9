//! Matchmaking: seating people at tables with strangers who want to play the same.
//!
//! A player who waits has a seat already, at a public table in the lobby; a row of `matchmaking` says so, and comes
//! and goes in the transactions of that table's events. An account waits at one table at most. Players
//! who agreed to bots wait with others who did, and bots come when the last of them agrees; the others wait for
//! people alone. A full table starts by itself. The record has the host seat the bots and start, since it knows
//! of nobody else who may.

mod advance;
mod seek;
mod waiting;

pub use seek::Wish;
pub use waiting::{Waiting, WaitingStatus};

use std::sync::Arc;

use super::clock::Clock;
use super::clock_watch::NodeClock;
use super::games::Games;
use super::handles::Handles;
use super::skipped_games::SkippedGames;
use crate::store::Database;

pub struct Matchmaking {
    database: Database,
    clock: Arc<dyn Clock>,
    games: Arc<Games>,
    node_clock: Arc<NodeClock>,
    skipped_games: Arc<SkippedGames>,
    /// Serialises matchmaking on this node.
    seating: tokio::sync::Mutex<()>,
}

impl Matchmaking {
    pub(super) fn new(
        handles: &Handles,
        games: Arc<Games>,
        node_clock: Arc<NodeClock>,
        skipped_games: Arc<SkippedGames>,
    ) -> Matchmaking {
        let Handles { database, clock, .. } = handles.clone();
        Matchmaking {
            database,
            clock,
            games,
            node_clock,
            skipped_games,
            seating: tokio::sync::Mutex::default(),
        }
    }
}
