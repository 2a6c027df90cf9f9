//! Checkpoints SQLite's write-ahead log, on its own connection and thread.
//!
//! A checkpoint inside a commit delays all players by about ten milliseconds, so the writer makes none.

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

/// How often the log's size is checked.
const INTERVAL: Duration = Duration::from_secs(1);

/// Log size in pages (64 MiB) from which the log is truncated, which blocks the writer for a moment.
const TRUNCATE_FROM: i32 = 16_384;

/// A handle to the thread. Dropping it ends the thread.
pub(super) struct Checkpointer {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Checkpointer {
    /// Starts the thread for an SQLite database.
    pub fn start(url: DatabaseUrl, guard: FileGuard) -> Result<Self, StoreError> {
        let (stop, stopped) = channel();
        // Open now: if the log file is deleted later, its content can still be saved through this connection.
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
    /// 1 when a reader or the writer blocked the checkpoint.
    #[diesel(sql_type = Integer)]
    busy: i32,
    /// Pages in the log.
    #[diesel(sql_type = Integer)]
    log: i32,
    /// Pages of the log that are already in the database file.
    #[diesel(sql_type = Integer)]
    checkpointed: i32,
}

fn run(url: &DatabaseUrl, guard: &FileGuard, conn: Connection, stopped: &Receiver<()>) {
    let mut conn = Some(conn);
    loop {
        let last = stopped.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout);
        // The guard has logged the error.
        let _ = guard.confirm();
        if !guard.may_checkpoint() {
            if last {
                return;
            }
            continue;
        }
        let opened = match conn.take() {
            Some(conn) => Ok(conn),
            // A new connection would open the replaced files.
            None => guard.known().and_then(|()| open(url)),
        };
        let outcome = match opened {
            Ok(mut open) => checkpoint(&mut open, last).map(|()| conn = Some(open)),
            Err(error) => Err(error),
        };
        // On a full disk every checkpoint fails, and the guard has already logged it.
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

/// Uses a short timeout, because a checkpoint that waits for readers blocks the writer.
fn open(url: &DatabaseUrl) -> Result<Connection, StoreError> {
    let mut conn = Connection::open(url, Purpose::Maintain)?;
    conn.batch_execute("PRAGMA busy_timeout = 100")?;
    conn.batch_execute(OPEN_FILES)?;
    Ok(conn)
}

/// Moves as many pages as possible without blocking. Truncates the log when it has grown too long.
fn checkpoint(conn: &mut Connection, last: bool) -> Result<(), StoreError> {
    let Connection::Sqlite(conn) = conn else { return Ok(()) };
    let passive: Progress = diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").get_result(conn)?;
    if last || passive.log > TRUNCATE_FROM {
        let cut: Progress = truncating(conn)?;
        tracing::debug!(
            pages = passive.log,
            moved = passive.checkpointed,
            left = cut.log,
            "truncated the write-ahead log"
        );
    }
    Ok(())
}

/// Moves the whole log into the database file and truncates it. Returns false when a reader or the writer
/// blocked it.
pub(super) fn truncate(conn: &mut Connection) -> Result<bool, StoreError> {
    let Connection::Sqlite(conn) = conn else { return Ok(true) };
    Ok(truncating(conn)?.busy == 0)
}

fn truncating(conn: &mut diesel::SqliteConnection) -> Result<Progress, StoreError> {
    Ok(diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result(conn)?)
}
