//! SQLite's write-ahead log begins again while writing goes on, and a reader that prevents it delays nobody.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use estimation_store::{Database, event_reads};

use super::samples::{Log, game_id};
use crate::databases::{Backend, TestDatabase};

/// A large event, so that a few hundred of them fill the log.
const EVENT: usize = 64 << 10;

/// The largest log while readers come and go: what the checkpoint thread lets it grow to, and as much again.
const LARGEST: u64 = 128 << 20;

/// The length to which the log is cut when it begins again after it was longer.
const CUT: u64 = 64 << 20;

const WRITERS: usize = 4;

const ROUNDS: usize = 4;

fn length(database: &TestDatabase) -> u64 {
    fs::metadata(format!("{}-wal", database.file().display())).expect("the log").len()
}

/// Appends to a game until `enough`. Returns its log.
async fn write(store: Database, name: String, enough: Arc<AtomicBool>) -> Log {
    let mut log = Log::new(&name);
    let body = name.repeat(EVENT / name.len());
    while !enough.load(Ordering::Relaxed) {
        store.append(log.next(&[&body])).await.expect("an event");
    }
    log
}

/// Four games grow side by side until `done`, so the queue of the writer is never empty for long.
async fn write_until(store: &Database, round: usize, mut done: impl FnMut() -> bool) {
    let enough = Arc::new(AtomicBool::new(false));
    let start = |number| tokio::spawn(write(store.clone(), format!("{round}-{number}"), Arc::clone(&enough)));
    let writers: Vec<_> = (0..WRITERS).map(start).collect();
    while !done() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    enough.store(true, Ordering::Relaxed);
    for writer in writers {
        let log = writer.await.expect("a writer");
        let head = store.read(move |conn| event_reads::head(conn, log.game)).await.expect("a look");
        assert_eq!(head.map(|head| (head.seq, head.hash)), Some((log.seq, log.hash)));
    }
}

#[tokio::test]
async fn the_log_begins_again_while_writing_goes_on() {
    let database = TestDatabase::new(Backend::Sqlite);
    let store = database.open();
    let mut longest = u64::MAX;
    // While the file of the database is new, and when the disk stalls, the checkpoints fall behind. The bound holds in a
    // later round.
    for round in 0..ROUNDS {
        let before = store.statistics().log_restarts;
        longest = 0;
        write_until(&store, round, || {
            longest = longest.max(length(&database));
            store.statistics().log_restarts >= before + 3
        })
        .await;
        println!("round {round}: a log of {longest} bytes");
        if longest <= LARGEST {
            break;
        }
    }
    assert!(longest <= LARGEST, "{longest} bytes of log");
    let after = store.statistics();
    println!(
        "{} restarts with {} pages in all, a log of {longest} bytes",
        after.log_restarts, after.log_pages_moved
    );
    store.shutdown().await;
    assert_eq!(length(&database), 0, "the last checkpoint leaves nothing");
}

#[tokio::test]
async fn a_long_read_stops_no_writer_and_the_log_is_cut_after_it() {
    let database = TestDatabase::new(Backend::Sqlite);
    let store = database.open();
    store.append(Log::new("g").next(&["1"])).await.expect("an event");
    let mut backup = database.outsider();
    backup.run("BEGIN; SELECT count(*) FROM game_events").expect("a long read");
    write_until(&store, 1, || length(&database) > CUT + (16 << 20)).await;
    assert_eq!(store.statistics().log_restarts, 0, "the reader still needs the log");
    drop(backup);
    write_until(&store, 2, || length(&database) <= CUT).await;
    let head = store.read(|conn| event_reads::head(conn, game_id("g"))).await.expect("a look");
    assert_eq!(head.map(|head| head.seq), Some(1));
}
