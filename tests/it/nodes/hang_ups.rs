//! Clients that disconnect during a commit: the effects of the commit do not wait for the periodic read of
//! the log.

use std::sync::{Condvar, Mutex, PoisonError};

use estimation_store::{BatchSize, Settings, StoreObserver};

use super::frames::{Frame, Frames, id_of};
use super::inside::Inside;
use crate::prelude::*;

#[derive(Default)]
struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    closed: bool,
    held_up: usize,
}

impl Gate {
    fn set(&self, closed: bool) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = closed;
        self.changed.notify_all();
    }

    fn holds_one_up(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).held_up > 0
    }
}

struct Watching(Arc<Gate>);

impl StoreObserver for Watching {
    fn committing(&self, _: BatchSize) {
        let Gate { state, changed } = &*self.0;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.held_up += 1;
        while state.closed {
            state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.held_up -= 1;
    }
}

/// A service whose commits can be held, and a game for two. Nothing reads the log periodically.
async fn service(database: TestDatabase) -> (Inside, Arc<Gate>, Table) {
    let gate = Arc::new(Gate::default());
    let observer = Arc::new(Watching(Arc::clone(&gate)));
    let inside = Inside::start_with(database, Settings { observer, ..Settings::default() });
    let table = Table::of_two(&crate::harness::client::Client::anonymous(&inside.url)).await;
    (inside, gate, table)
}

fn open_connections(inside: &Inside) -> f64 {
    let text = inside.app.metrics.render();
    let line = text.lines().find(|line| line.starts_with("estimation_open_connections ")).expect("the gauge");
    line.rsplit(' ').next().expect("a number").parse().expect("a number")
}

/// Posts a command with a key and disconnects while its commit is held. Returns once the service has noticed.
async fn hang_up(inside: &Inside, gate: &Gate, table: &Table, actor: usize, command: &Value, key: &str) {
    gate.set(true);
    let before = open_connections(inside);
    let poster = table.players[actor].client.apart();
    let request = poster.send(&table.path("commands"), command).header("idempotency-key", key);
    let posting = tokio::spawn(request.sent());
    eventually("a commit that is held up", async || gate.holds_one_up()).await;
    assert!(open_connections(inside) > before);
    posting.abort();
    drop(poster);
    eventually("the service notices", async || open_connections(inside) <= before).await;
}

async fn repeated(table: &Table, actor: usize, command: &Value, key: &str) -> Answer {
    let poster = table.players[actor].client.apart();
    let request = poster.send(&table.path("commands"), command).header("idempotency-key", key);
    request.sent().await.expect("an answer")
}

on_both! {
    /// Another player's stream gets the event, although the poster is gone and nothing reads the log
    /// periodically.
    async fn streams_get_a_commit_without_its_poster(database: TestDatabase) {
        let (inside, gate, table) = service(database).await;
        let (actor, view) = table.turn().await.expect("a turn");
        let version = view["version"].as_u64().expect("a version");
        let other = &table.players[1 - actor].client;
        let before = &table.seat(actor).log().await[version as usize - 2];
        let before = id_of(version - 1, before["hash"].as_str().expect("a hash"));
        let mut stream = Frames::of(&other.apart(), &table.stream(), Some(&before)).await;
        let Frame::Event { id, .. } = stream.soon(PATIENCE).await else { panic!("no event") };
        assert_eq!(id, version);
        let mut account = Frames::of(&other.apart(), "/v1/me/stream", None).await;

        hang_up(&inside, &gate, &table, actor, &view["legal"][0], "sami-1").await;
        gate.set(false);
        let Frame::Event { id, data } = stream.soon(PATIENCE).await else { panic!("no event") };
        assert_eq!((id, &data["event"]["type"]), (version + 1, &json!("estimate_made")));
        let Frame::Named { name, data } = account.soon(PATIENCE).await else { panic!("no news") };
        assert_eq!((name.as_str(), &data["version"]), ("your_turn", &json!(version + 1)));
    }

    /// The reservation of an idempotency key lasts as long as its commit: a repeat waits for it and writes
    /// nothing.
    async fn a_repeat_waits_for_the_commit(database: TestDatabase) {
        let (inside, gate, table) = service(database).await;
        let (actor, view) = table.turn().await.expect("a turn");
        let version = view["version"].as_u64().expect("a version");
        hang_up(&inside, &gate, &table, actor, &view["legal"][0], "sami-1").await;
        // The held repeat is answered so; alone it would wait for the writer.
        let answer = repeated(&table, actor, &view["legal"][0], "sami-1").await;
        answer.refused(409, "request-in-progress");
        gate.set(false);
        eventually("the event", async || table.version().await == version + 1).await;
        let replayed = repeated(&table, actor, &view["legal"][0], "sami-1").await;
        assert_eq!(replayed.header("idempotency-replayed"), Some("true"), "{replayed:?}");
        assert_eq!(replayed.accepted()["version"], version + 1);
        assert_eq!(table.version().await, version + 1);
    }
}
