//! Checkpoints of SQLite's write-ahead log, from a connection and a thread of their own.
//!
//! A checkpoint inside a commit holds every player up for some ten milliseconds, so the writer makes none.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::sql_types::Integer;
use diesel::{QueryableByName, RunQueryDsl};

use super::connection::{Connection, OPEN_FILES, Purpose};
use super::error::StoreError;
use super::sqlite::FileGuard;
use super::url::DatabaseUrl;

/// How often the log is looked at.
const INTERVAL: Duration = Duration::from_secs(1);

/// From how many pages on the log file is started afresh, which stops the writer for a moment: 64 MiB.
const TOO_LONG: i32 = 16_384;

/// The thread; dropping it lets the thread end by itself.
pub(super) struct Checkpointer {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Checkpointer {
    /// Starts the thread for an SQLite database.
    pub fn start(url: DatabaseUrl, guard: FileGuard) -> Result<Self, StoreError> {
        let (stop, stopped) = channel();
        // Opened before anything can happen to the files: a log that is deleted later can be saved through it.
        let conn = open(&url)?;
        let thread = std::thread::Builder::new()
            .name("store-checkpoint".to_owned())
            .spawn(move || run(&url, &guard, conn, &stopped))
            .map_err(|e| StoreError::Unavailable { detail: e.to_string() })?;
        Ok(Self { stop, thread })
    }

    /// Makes a last checkpoint and ends the thread. Blocks.
    pub fn stop(self) {
        drop(self.stop);
        if self.thread.join().is_err() {
            tracing::error!("the checkpoint thread had panicked");
        }
    }
}

#[derive(QueryableByName)]
struct Progress {
    /// 1 when somebody was in the way.
    #[diesel(sql_type = Integer)]
    busy: i32,
    /// Pages in the log.
    #[diesel(sql_type = Integer)]
    log: i32,
    /// Of these, how many are in the database file now.
    #[diesel(sql_type = Integer)]
    checkpointed: i32,
}

fn run(url: &DatabaseUrl, guard: &FileGuard, conn: Connection, stopped: &Receiver<()>) {
    let mut conn = Some(conn);
    loop {
        let last = stopped.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout);
        // Its error has been logged.
        let _ = guard.confirm();
        if !guard.may_checkpoint() {
            if last {
                return;
            }
            continue;
        }
        let opened = match conn.take() {
            Some(conn) => Ok(conn),
            // It would have other files.
            None => guard.known().and_then(|()| open(url)),
        };
        let outcome = match opened {
            Ok(mut open) => checkpoint(&mut open, last).map(|()| conn = Some(open)),
            Err(error) => Err(error),
        };
        // While the disk is full it fails every time, and the log says so already.
        if let Err(error) = outcome
            && !guard.waits_for_room()
        {
            tracing::warn!(%error, "checkpoint failed");
        }
        if last {
            return;
        }
    }
}

/// A checkpoint that waits for readers holds the writer up meanwhile, so it hardly waits.
fn open(url: &DatabaseUrl) -> Result<Connection, StoreError> {
    let mut conn = Connection::open(url, Purpose::Maintain)?;
    conn.batch_execute("PRAGMA busy_timeout = 100")?;
    conn.batch_execute(OPEN_FILES)?;
    Ok(conn)
}

/// Moves what it can without disturbing anybody; a log that has grown too long is then cut off.
fn checkpoint(conn: &mut Connection, last: bool) -> Result<(), StoreError> {
    let Connection::Sqlite(conn) = conn else { return Ok(()) };
    let passive: Progress = diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").get_result(conn)?;
    if last || passive.log > TOO_LONG {
        let cut: Progress = truncating(conn)?;
        tracing::debug!(pages = passive.log, moved = passive.checkpointed, left = cut.log, "cut the log");
    }
    Ok(())
}

/// Moves the whole log into the database file and cuts it off, unless a reader or the writer is in the way.
/// Returns whether it did.
pub(super) fn cut(conn: &mut Connection) -> Result<bool, StoreError> {
    let Connection::Sqlite(conn) = conn else { return Ok(true) };
    Ok(truncating(conn)?.busy == 0)
}

fn truncating(conn: &mut diesel::SqliteConnection) -> Result<Progress, StoreError> {
    Ok(diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result(conn)?)
}
