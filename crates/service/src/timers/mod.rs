//! Timers: the service moves for bots and expired turns, and ends abandoned games.
//!
//! Deadlines follow from the record ([`TurnClock`](estimation_record::turn_clock::TurnClock)); the game's row says when to check. Any node may check;
//! the game's version ensures that each action happens once.

mod perform;
mod worker;

use crate::games::due_games::DueGames;

use std::sync::Arc;

use crate::base::clock_watch::NodeClock;
use crate::base::metrics::Metrics;
use crate::base::outages::Outages;
use crate::games::Games;
use crate::games::skipped_games::SkippedGames;
use estimation_store::Database;

pub(super) struct Timers {
    pub(crate) database: Database,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) games: Arc<Games>,
    pub(crate) node_clock: Arc<NodeClock>,
    pub(crate) due: Arc<DueGames>,
    pub(crate) skipped_games: Arc<SkippedGames>,
    pub(crate) outages: Arc<Outages>,
}
