//! The cost of each part of a command: view, redaction, JSON, the chain, the writer.
//!
//! `cargo bench --bench parts`. The writer is measured on SQLite, and on PostgreSQL if
//! `ESTIMATION_TEST_POSTGRES` names a server.
#![allow(
    dead_code,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, and stops where it cannot go on"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use estimation_engine::command::{Actor, Position};
use estimation_engine::event::Event;
use estimation_engine::evolve::evolve;
use estimation_engine::game::Game;
use estimation_engine::redact::{Viewer, redact};
use estimation_engine::ruleset::{Ruleset, RulesetId};
use estimation_engine::seat::Seat;
use estimation_engine::view::view;
use estimation_record::{Envelope, GENESIS, canonical_json, chain};
use estimation_store::event_reads::StoredEvent;
use estimation_store::{Append, BatchSize, Database, DatabaseUrl, GameId, Settings, StoreObserver};
use estimation_test_support::made;
use uuid::Uuid;

const LENGTH: Duration = Duration::from_secs(1);

fn main() {
    let history = made::play(Ruleset::preset(RulesetId::Squares), 1);
    let events: Vec<Event> = history.events.iter().map(|line| event(&line.body)).collect();
    let Some(Event::GameCreated(created)) = events.first() else { panic!("no beginning") };
    let mut game = Game::open(created);
    // The middle of the game: some rounds are scored, cards are on the table.
    events[1..events.len() / 2].iter().for_each(|event| evolve(&mut game, event));
    let seat = Seat::new(1);
    let deal = events.iter().find(|event| matches!(event, Event::RoundDealt(_))).expect("a deal");
    let card = events.iter().find(|event| matches!(event, Event::CardPlayed { .. })).expect("a card");
    let envelope =
        |event| Envelope { game: Uuid::nil(), seq: 7, at: made::time(0), actor: Actor::Server, event };
    let body = envelope(card).canonical().expect("canonical JSON");

    time("a copy of the game", || game.clone());
    time("a view", || view(&game, Some(Position::Seat(seat))));
    let seen = view(&game, Some(Position::Seat(seat)));
    time("a view's scores as JSON", || serde_json::to_string(&seen.scores).expect("JSON"));
    time("a view's round as JSON", || serde_json::to_string(&seen.round).expect("JSON"));
    time("a deal redacted, as JSON", || {
        serde_json::to_string(&redact(deal, Viewer::Seat(seat), false)).expect("JSON")
    });
    time("a card as JSON", || serde_json::to_string(&envelope(card)).expect("JSON"));
    time("a card as canonical JSON", || envelope(card).canonical().expect("canonical JSON"));
    time("a deal as JSON", || serde_json::to_string(&envelope(deal)).expect("JSON"));
    time("a deal as canonical JSON", || canonical_json(&envelope(deal)).expect("canonical JSON"));
    time("a card hashed", || chain(GENESIS, body.as_bytes()));
    time("a card read", || event(&body));

    let folder = tempfile::tempdir().expect("a folder");
    writer("SQLite", &DatabaseUrl::sqlite(folder.path().join("bench.db")));
    match std::env::var("ESTIMATION_TEST_POSTGRES") {
        Ok(server) => writer("PostgreSQL", &server.parse().expect("a URL")),
        Err(_) => println!("no ESTIMATION_TEST_POSTGRES: the writer is not measured on PostgreSQL"),
    }
}

fn event(body: &str) -> Event {
    #[derive(serde::Deserialize)]
    struct Body {
        event: Event,
    }
    serde_json::from_str::<Body>(body).expect("an event").event
}

fn time<T>(what: &str, mut work: impl FnMut() -> T) {
    let (began, mut times) = (Instant::now(), 0_u32);
    while began.elapsed() < LENGTH / 4 {
        for _ in 0..64 {
            black_box(work());
        }
        times += 64;
    }
    println!("{what:<28} {:>9.0} ns", began.elapsed().as_nanos() as f64 / f64::from(times));
}

/// Units and commits of the writer.
#[derive(Default)]
struct Batches(AtomicUsize, AtomicUsize);

impl Batches {
    fn read(&self) -> (usize, usize) {
        (self.0.load(Ordering::Relaxed), self.1.load(Ordering::Relaxed))
    }
}

impl StoreObserver for Batches {
    fn committed(&self, batch: BatchSize) {
        self.0.fetch_add(batch.units, Ordering::Relaxed);
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

/// Appends of one event by all games, one after the other in each game.
fn writer(what: &str, url: &DatabaseUrl) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let batches = Arc::new(Batches::default());
    let observer = Arc::clone(&batches);
    let database = Database::open(url, Settings { observer, ..Settings::default() }).expect("a database");
    for games in [1, 64, 256] {
        let until = Instant::now() + 2 * LENGTH;
        let before = batches.read();
        let appends = (0..games).map(|_| append(database.clone(), until));
        let written: u64 = runtime.block_on(futures_util::future::join_all(appends)).into_iter().sum();
        let after = batches.read();
        println!(
            "{what}, {games:>3} games: {:>7.0} appends/s, {:.1} in a batch",
            written as f64 / (2 * LENGTH).as_secs_f64(),
            (after.0 - before.0) as f64 / (after.1 - before.1).max(1) as f64
        );
    }
    runtime.block_on(database.shutdown());
}

async fn append(database: Database, until: Instant) -> u64 {
    let game = GameId(Uuid::now_v7());
    let body = "x".repeat(210);
    let (mut seq, mut previous_hash) = (0, GENESIS);
    while Instant::now() < until {
        seq += 1;
        let hash = chain(previous_hash, body.as_bytes());
        let events = vec![StoredEvent { seq, hash, body: body.clone(), binding: None }];
        let unit = Append { game, previous_hash, events, effects: Vec::new(), by: None };
        database.append(unit).await.expect("an append");
        previous_hash = hash;
    }
    seq
}
