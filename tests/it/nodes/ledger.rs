//! Records answers when clients get them: every acknowledged event with its hash, and the last answer of each
//! table.

use std::sync::{Mutex, MutexGuard};

use crate::prelude::*;

/// The records of all clients. Panics at a second hash for one event: then a game has two histories.
#[derive(Default)]
pub struct Ledger(Mutex<Recorded>);

#[derive(Default)]
struct Recorded {
    events: BTreeMap<(String, u64), String>,
    tables: BTreeMap<usize, Answers>,
    slowest: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Answers {
    /// When the last acknowledged write was sent.
    pub acknowledged: Option<Instant>,
    /// Writes that were refused as retryable, or not answered.
    pub refused: usize,
}

impl Ledger {
    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.0.lock().expect("the ledger")
    }

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

    pub fn acknowledged(&self, game: &str, events: &[(u64, String)]) {
        let mut recorded = self.recorded();
        for (seq, hash) in events {
            let before = recorded.events.insert((game.to_owned(), *seq), hash.clone());
            assert!(before.is_none_or(|before| before == *hash), "game {game} has two histories at {seq}");
        }
    }

    pub fn acknowledged_head(&self, game: &Value) {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let head = (game["head"]["seq"].as_u64().expect("a number"), text(&game["head"]["hash"]));
        self.acknowledged(&text(&game["id"]), &[head]);
    }

    pub fn events(&self) -> BTreeMap<(String, u64), String> {
        self.recorded().events.clone()
    }

    /// The longest time to an answer to a write, including unanswered ones.
    pub fn slowest(&self) -> Duration {
        self.recorded().slowest
    }

    pub fn tables(&self) -> BTreeMap<usize, Answers> {
        self.recorded().tables.clone()
    }
}
