//! A cache of log heads: the last event of each game that this writer wrote recently.
//!
//! A log only grows, so a cached head is a lower bound: an append that does not start after it is stale, and
//! the writer refuses it without asking the database. The cache does not know the writes of other nodes; the
//! insert detects those. The cache is cleared with the connection, because a new connection may lead to a
//! server that lost the last commits.

use quick_cache::unsync::Cache;

use super::unit::{Append, AppendResult};
use crate::GameId;

/// Number of games. Waiting appends are rarely older than a few batches.
const KEPT: usize = 4_096;

pub(super) struct KnownHeads(Cache<GameId, AppendResult>);

impl Default for KnownHeads {
    fn default() -> Self {
        Self(Cache::new(KEPT))
    }
}

impl KnownHeads {
    /// Records the head after a durable append.
    pub fn record(&mut self, append: &Append, outcome: AppendResult) {
        match self.0.get_mut(&append.game) {
            Some(mut known) => *known = outcome,
            None => self.0.insert(append.game, outcome),
        }
    }

    /// Whether the cache proves an append stale.
    pub fn is_stale(&self, append: &Append) -> bool {
        let Some(known) = self.0.get(&append.game) else { return false };
        match append.first_seq().checked_sub(known.last_seq) {
            None | Some(0) => true,
            Some(1) => append.previous_hash != known.hash,
            Some(_) => false,
        }
    }
}
