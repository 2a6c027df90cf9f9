//! Matchmaking: seats players who want to play the same game together.
//!
//! A waiting player already has a seat at a public lobby table. A row of `matchmaking` marks the wait; it is
//! written and deleted in the transactions of that table's events. An account waits at one table at most.
//!
//! Players who agreed to bots wait together; bots join when the last of them agrees. Other players wait for
//! people only. Both come together when they fill a table. A full table starts automatically. In the record the
//! host seats the bots and starts the game, since the rules allow only the host to do so.
//!
//! Several tables for the same game may have room, for instance after a failed opening of client seeds. Then players are
//! moved until they share a table (`merge.rs`). An account that misses openings is barred for a while
//! (`bar.rs`).

mod advance;
mod bar;
mod merge;
mod seek;
mod waiting;

pub use seek::Wish;
pub(crate) use seek::terms;
pub use waiting::{QueueStatus, Waiting};

use std::sync::Arc;

use crate::base::clock::Clock;
use crate::base::clock_watch::NodeClock;
use crate::base::pauses::Pauses;
use crate::games::Games;
use crate::games::skipped_games::SkippedGames;
use estimation_engine::player::AccountId;
use estimation_store::{Database, GameId};
use jiff::SignedDuration;

/// How long a move that a table refused is not tried again, so that no player is moved to and fro because of one who cannot
/// follow.
pub(crate) const REFUSED_MOVE: SignedDuration = SignedDuration::from_mins(5);

pub struct Matchmaking {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) games: Arc<Games>,
    pub(crate) node_clock: Arc<NodeClock>,
    pub(crate) skipped_games: Arc<SkippedGames>,
    /// The moves that a table refused, by account and table.
    pub(crate) refused_moves: Pauses<(AccountId, GameId)>,
    /// Serialises matchmaking on this node.
    pub(crate) seating: tokio::sync::Mutex<()>,
}
