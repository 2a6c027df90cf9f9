//! What the service does at a table by itself: it moves for bots and for those whose turn ran out, and ends
//! games that nobody goes on with.
//!
//! When something is due follows from the record ([`TurnClock`]); the row of a game says when to look. Any node
//! may look, and the version of the game decides that it is done once.

mod perform;
pub(super) mod queue;
mod worker;

use self::queue::DueGames;

use std::sync::Arc;

use super::clock_watch::NodeClock;
use super::entropy::Entropy;
use super::games::Games;
use super::handles::Handles;
use super::metrics::Metrics;
use super::skipped_games::SkippedGames;
use crate::store::Database;

/// Acts at tables for bots and by the clock.
pub(super) struct Timers {
    database: Database,
    entropy: Arc<dyn Entropy>,
    metrics: Arc<Metrics>,
    games: Arc<Games>,
    node_clock: Arc<NodeClock>,
    due: Arc<DueGames>,
    skipped_games: Arc<SkippedGames>,
}

impl Timers {
    pub(super) fn new(
        handles: &Handles,
        games: Arc<Games>,
        node_clock: Arc<NodeClock>,
        due: Arc<DueGames>,
        skipped_games: Arc<SkippedGames>,
    ) -> Timers {
        let Handles { database, entropy, metrics, .. } = handles.clone();
        Timers { database, entropy, metrics, games, node_clock, due, skipped_games }
    }
}
