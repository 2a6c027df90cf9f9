//! A cache of log heads: the last event of each game that this writer wrote recently.
//!
//! A log only grows, so a cached head is a lower bound: an append that does not start after it is stale, and
//! the writer refuses it without asking the database. The cache does not know the writes of other nodes; the
//! insert detects those. The cache is cleared with the connection, because a new connection may lead to a
//! server that lost the last commits.

use quick_cache::unsync::Cache;

use super::unit::{Append, Appended};
use crate::GameId;

/// Number of games. Waiting appends are rarely older than a few batches.
const KEPT: usize = 4_096;

pub(super) struct KnownHeads(Cache<GameId, Appended>);

impl Default for KnownHeads {
    fn default() -> Self {
        Self(Cache::new(KEPT))
    }
}

impl KnownHeads {
    /// Records the head after a durable append.
    pub fn record(&mut self, append: &Append, outcome: Appended) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored_event::StoredEvent;

    fn append(first_seq: u64, previous_hash: [u8; 32]) -> Append {
        let events =
            vec![StoredEvent { seq: first_seq, hash: [0xee; 32], body: String::new(), binding: None }];
        Append { game: GameId::default(), previous_hash, events, effects: Vec::new() }
    }

    #[test]
    fn only_appends_that_cannot_be_written_are_stale() {
        let mut heads = KnownHeads::default();
        assert!(!heads.is_stale(&append(4, [3; 32])), "an unknown game");
        heads.record(&append(4, [3; 32]), Appended { last_seq: 5, hash: [5; 32] });
        assert!(heads.is_stale(&append(4, [3; 32])), "its sequence number is taken");
        assert!(heads.is_stale(&append(5, [4; 32])), "its sequence number is taken");
        assert!(heads.is_stale(&append(6, [4; 32])), "it links to another event");
        assert!(!heads.is_stale(&append(6, [5; 32])), "it is the next one");
        assert!(!heads.is_stale(&append(7, [6; 32])), "another node may have written the one before");
    }
}
