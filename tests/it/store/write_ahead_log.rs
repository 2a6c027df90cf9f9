//! SQLite's write-ahead log begins again while writing goes on, and a reader that prevents it delays nobody.

use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use estimation_store::{Database, StoreError, event_reads};

use super::samples::{Log, game_id};
use crate::prelude::*;

/// A large event, so that a few hundred of them fill the log.
const EVENT: usize = 64 << 10;

/// The largest log while readers come and go: what the checkpoint thread lets it grow to, and as much again.
const LARGEST: u64 = 128 << 20;

/// The length to which the log is cut when it begins again after it was longer.
const CUT: u64 = 64 << 20;

const WRITERS: usize = 4;

/// After so many bytes without a restart of the log, one writer goes on alone: a quarter of the speed, so that a slow disk
/// catches up.
const ALONE_FROM: u64 = 64 << 20;

const ROUNDS: usize = 4;

const PAUSE: Duration = Duration::from_millis(5);

fn length(database: &TestDatabase) -> u64 {
    fs::metadata(format!("{}-wal", database.file().display())).expect("the log").len()
}

/// How often the log has begun again: the checkpoint sequence number in its header, which an empty log has not.
fn restarts(database: &TestDatabase) -> u32 {
    let mut header = [0; 16];
    let mut log = fs::File::open(format!("{}-wal", database.file().display())).expect("the log");
    if log.metadata().expect("its length").len() == 0 {
        return 0;
    }
    log.read_exact(&mut header).expect("a header");
    let [.., a, b, c, d] = header;
    u32::from_be_bytes([a, b, c, d])
}

#[derive(Default)]
struct Progress {
    /// Bytes of events since the log began again.
    written: AtomicU64,
    enough: AtomicBool,
}

/// Appends to a game until it is enough. Returns its log. Number 0 never waits for the others.
async fn write(store: Database, round: usize, number: usize, progress: Arc<Progress>) -> Log {
    let name = format!("{round}-{number}");
    let mut log = Log::new(&name);
    let body = name.repeat(EVENT / name.len());
    while !progress.enough.load(Ordering::Relaxed) {
        if number > 0 && progress.written.load(Ordering::Relaxed) > ALONE_FROM {
            tokio::time::sleep(PAUSE).await;
            continue;
        }
        store.append(log.next(&[&body])).await.expect("an event");
        progress.written.fetch_add(EVENT as u64, Ordering::Relaxed);
    }
    log
}

/// Four games grow side by side until `done`, so the queue of the writer is never empty for long.
async fn write_until(
    database: &TestDatabase,
    store: &Database,
    round: usize,
    mut done: impl FnMut() -> bool,
) {
    let progress = Arc::new(Progress::default());
    let start = |number| tokio::spawn(write(store.clone(), round, number, Arc::clone(&progress)));
    let writers: Vec<_> = (0..WRITERS).map(start).collect();
    let mut before = restarts(database);
    while !done() {
        tokio::time::sleep(PAUSE).await;
        let now = restarts(database);
        if std::mem::replace(&mut before, now) != now {
            progress.written.store(0, Ordering::Relaxed);
        }
    }
    progress.enough.store(true, Ordering::Relaxed);
    for writer in writers {
        let log = writer.await.expect("a writer");
        let head = store.read(move |conn| event_reads::head(conn, log.game)).await.expect("a look");
        assert_eq!(head.map(|head| (head.seq, head.hash)), Some((log.seq, log.hash)));
    }
}

#[ignore = "all: drives load"]
#[tokio::test]
async fn the_log_begins_again_while_writing_goes_on() {
    let database = TestDatabase::new(Backend::Sqlite);
    let store = database.open();
    let mut longest = u64::MAX;
    // While the file of the database is new, and when the disk stalls, the checkpoints fall behind. The bound holds in a
    // later round.
    for round in 0..ROUNDS {
        let before = restarts(&database);
        longest = 0;
        write_until(&database, &store, round, || {
            longest = longest.max(length(&database));
            restarts(&database) >= before + 3
        })
        .await;
        println!("round {round}: a log of {longest} bytes");
        if longest <= LARGEST {
            break;
        }
    }
    assert!(longest <= LARGEST, "{longest} bytes of log");
    println!("{} restarts, a log of {longest} bytes", restarts(&database));
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
    // A reader that needs none of the log lets this one begin it again.
    store.append(Log::new("h").next(&["1"])).await.expect("an event");
    let before = restarts(&database);
    write_until(&database, &store, 1, || length(&database) > CUT + (16 << 20)).await;
    assert_eq!(restarts(&database), before, "the reader still needs the log");
    drop(backup);
    write_until(&database, &store, 2, || length(&database) <= CUT).await;
    let head = store.read(|conn| event_reads::head(conn, game_id("g"))).await.expect("a look");
    assert_eq!(head.map(|head| head.seq), Some(1));
    store.shutdown().await;
    assert_eq!(length(&database), 0, "the last checkpoint leaves nothing");
}

/// The connection that a read opens is closed again, and has the only file at the path.
#[tokio::test]
async fn a_read_leaves_the_log_and_a_replaced_file_alone() {
    let database = TestDatabase::new(Backend::Sqlite);
    let store = database.open();
    store.append(Log::new("g").next(&["1"])).await.expect("an event");
    let (file, log) = (database.file(), format!("{}-wal", database.file().display()));
    let aside = file.with_extension("aside");
    fs::rename(&file, &aside).expect("moved");
    fs::copy(&aside, &file).expect("a copy");
    let contents = || [fs::read(&file).expect("the copy"), fs::read(&log).expect("the log")];
    let before = contents();
    assert!(!before[1].is_empty());
    let refused = store.read(|conn| event_reads::head(conn, game_id("g"))).await;
    assert!(
        matches!(refused, Err(StoreError::DatabaseReplaced { .. } | StoreError::Unavailable { .. })),
        "{refused:?}"
    );
    assert!(contents() == before, "the read changed a file");
}
