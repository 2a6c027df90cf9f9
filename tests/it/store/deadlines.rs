//! A blocked writer: callers are answered in time, and the answers match the later outcome.

use std::sync::{Condvar, Mutex};

use estimation_store::{BatchSize, Database, Settings, StoreError, StoreObserver, event_reads};

use super::samples::{Log, game_id};
use crate::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Passage {
    Open,
    Closed,
    Awaited,
}

struct Gate {
    passage: Mutex<Passage>,
    changed: Condvar,
}

impl Gate {
    fn set(&self, passage: Passage) {
        *self.passage.lock().expect("a gate") = passage;
        self.changed.notify_all();
    }

    fn is(&self, passage: Passage) -> bool {
        *self.passage.lock().expect("a gate") == passage
    }
}

impl StoreObserver for Gate {
    fn committing(&self, _: BatchSize) {
        let mut passage = self.passage.lock().expect("a gate");
        while *passage != Passage::Open {
            *passage = Passage::Awaited;
            passage = self.changed.wait(passage).expect("a gate");
        }
    }
}

async fn exists(store: &Database, game: &'static str) -> bool {
    store.read(move |conn| event_reads::head(conn, game_id(game))).await.expect("a look").is_some()
}

on_both! {
    /// One unit is in a transaction that hangs, another waits behind it. Both callers get an answer. The
    /// first unit is written in the end, the second never.
    async fn a_unit_that_waits_too_long_is_withdrawn(database: TestDatabase) {
        let gate = Arc::new(Gate { passage: Mutex::new(Passage::Open), changed: Condvar::new() });
        let observer: Arc<dyn StoreObserver> = gate.clone();
        let store = database.open_with(Settings { observer, ..Settings::default() });
        let append = |game: &str| {
            let (store, unit) = (store.clone(), Log::new(game).next(&["1"]));
            tokio::spawn(async move { store.append(unit).await })
        };
        gate.set(Passage::Closed);
        let first = append("first");
        eventually("a COMMIT comes", async || gate.is(Passage::Awaited)).await;
        let second = append("second");
        let (first, second) = (first.await.expect("no panic"), second.await.expect("no panic"));
        assert!(matches!(first, Err(StoreError::OutcomeUnknown { .. })), "{first:?}");
        assert!(matches!(second, Err(StoreError::Unavailable { .. })), "{second:?}");
        assert!(store.longest_wait() >= Duration::from_secs(8), "the first is still to be written");

        gate.set(Passage::Open);
        append("third").await.expect("no panic").expect("the writer goes on");
        let there = [exists(&store, "first").await, exists(&store, "second").await];
        assert_eq!(there, [true, false]);
        eventually("nothing waits", async || store.longest_wait().is_zero()).await;
    }
}
