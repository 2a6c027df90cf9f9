//! SQLite on a full disk: the checkpoint gets the remaining room, not the write-ahead log.

use estimation_store::{StoreError, event_reads};

use super::samples::{Log, game_id};
use crate::prelude::*;
use crate::small_disk::SmallDisk;

/// How much room the test gives at a time, and at most in all.
const PIECE: u64 = 256 << 10;
const PIECES: usize = 12;

/// The maximum length of the log when writes resume.
const CUT: u64 = 1 << 20;

#[tokio::test]
#[ignore = "all: waits out deadlines of a node, a client or the database"]
async fn the_log_is_truncated_before_writes_resume() {
    let disk = SmallDisk::mount();
    let database = TestDatabase::in_folder(disk.path());
    let mut store = database.open();
    let mut log = Log::new("g");
    store.append(log.next(&["1"])).await.expect("an event");
    let big = "x".repeat(100_000);
    for restart in [false, true, false] {
        // A slow backup lets the log grow.
        let mut backup = database.outsider();
        backup.run("BEGIN; SELECT count(*) FROM game_events").expect("a long read");
        for _ in 0..12 {
            store.append(log.next(&[&big])).await.expect("an event");
        }
        loop {
            disk.fill();
            let mut next = log.clone();
            match store.append(next.next(&[&big])).await {
                Ok(_) => log = next,
                Err(error) => break assert!(matches!(error, StoreError::DiskFull { .. }), "{error:?}"),
            }
        }
        drop(backup);
        if restart {
            store.shutdown().await;
            drop(store);
            store = database.open();
        }
        let mut pieces = 0;
        loop {
            let mut next = log.clone();
            match store.append(next.next(&[&big])).await {
                Ok(_) => break log = next,
                Err(error) => assert!(matches!(error, StoreError::DiskFull { .. }), "{error:?}"),
            }
            assert!(pieces < PIECES, "{pieces} pieces of room, and no event");
            disk.give(PIECE);
            pieces += 1;
            // Longer than the pause after a full disk.
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        }
        let length = fs::metadata(format!("{}-wal", database.file().display())).expect("the log").len();
        println!("writing goes on after {pieces} pieces of room with a log of {length} bytes");
        assert!(length < CUT, "{length} bytes of log");
        let head =
            store.read(|conn| event_reads::head(conn, game_id("g"))).await.expect("a look").expect("a game");
        assert_eq!((head.seq, head.hash), (log.seq, log.hash), "what was acknowledged is there");
        disk.make_room();
    }
}
