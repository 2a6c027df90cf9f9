//! What clients were told, recorded the moment they are told it: every acknowledged event with its hash, and for
//! each table when it was last answered.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The record of all clients. Panics at the second hash for one event: then a game has two histories.
#[derive(Default)]
pub struct Ledger(Mutex<Recorded>);

#[derive(Default)]
struct Recorded {
    events: BTreeMap<(String, u64), String>,
    tables: BTreeMap<usize, Answers>,
    slowest: Duration,
}

/// How the writes of one table were answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answers {
    /// When the last write that was acknowledged had been sent.
    pub acknowledged: Option<Instant>,
    /// Writes that were refused for the moment, or not answered at all.
    pub refused: usize,
}

impl Ledger {
    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.0.lock().expect("the ledger")
    }

    /// Records whether a write was acknowledged that was sent at this time.
    pub fn answered(&self, table: usize, sent: Instant, acknowledged: bool) {
        let mut recorded = self.recorded();
        recorded.slowest = recorded.slowest.max(sent.elapsed());
        let answers = recorded.tables.entry(table).or_default();
        if acknowledged {
            answers.acknowledged = Some(sent);
        } else {
            answers.refused += 1;
        }
    }

    /// Records acknowledged events by number and hash.
    pub fn acknowledged(&self, game: &str, events: &[(u64, String)]) {
        let mut recorded = self.recorded();
        for (seq, hash) in events {
            let before = recorded.events.insert((game.to_owned(), *seq), hash.clone());
            assert!(before.is_none_or(|before| before == *hash), "game {game} has two histories at {seq}");
        }
    }

    /// Records the last event of a game that was shown in an answer to a write.
    pub fn acknowledged_head(&self, game: &Value) {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let head = (game["head"]["seq"].as_u64().expect("a number"), text(&game["head"]["hash"]));
        self.acknowledged(&text(&game["id"]), &[head]);
    }

    /// The hashes of all events acknowledged so far, by game and number.
    pub fn events(&self) -> BTreeMap<(String, u64), String> {
        self.recorded().events.clone()
    }

    /// The longest time that the answer to a write took, or that a client waited for it.
    pub fn slowest(&self) -> Duration {
        self.recorded().slowest
    }

    pub fn tables(&self) -> BTreeMap<usize, Answers> {
        self.recorded().tables.clone()
    }
}
