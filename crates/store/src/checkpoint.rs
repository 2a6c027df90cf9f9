//! Moves SQLite's write-ahead log into the database file beside writing, on its own connection and thread.
//!
//! SQLite begins the log again from its start once the whole log is in the database file and no reader uses it. While
//! commits follow each other, a checkpoint beside them never gets that far. So this thread keeps the rest short and the
//! database file synced. When the log has grown long, the writer moves the rest between two batches. That takes a
//! moment only, because little is left to move and to sync.

use std::fs::{File, OpenOptions};
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use diesel::connection::SimpleConnection;

use super::connection::{Connection, OPEN_FILES, Purpose};
use super::error::StoreError;
use super::sqlite::FileGuard;
use super::sqlite::wal::{move_pages, truncate};
use super::url::DatabaseUrl;

/// The pause between checkpoints while nothing is written, and while something is.
const IDLE: Duration = Duration::from_secs(1);
const BUSY: Duration = Duration::from_millis(100);

/// Log size in pages from which the writer begins the log again: 16 MiB with the pages of new databases. Every read
/// searches the log first, so a short log is faster.
const RESTART_FROM: i32 = 8_192;

/// The rest, in pages, that the writer moves in a moment.
const SHORT: i32 = 256;

/// How many checkpoints follow each other at once, until the rest is short.
const PASSES: usize = 4;

/// Log size in pages from which the writer moves the rest, however long it is: otherwise a disk that is slower than the
/// players would fill up.
const LONG: i32 = 4 * RESTART_FROM;

/// A handle to the thread. Dropping it ends the thread.
pub(super) struct Checkpointer {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

/// Tells the writer that the log should begin again.
#[derive(Clone, Default)]
pub(super) struct Restart(Arc<AtomicBool>);

impl Restart {
    fn request(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Withdraws the request. The thread makes another one if the log stays long.
    pub fn withdraw(&self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Moves the rest of the log. Only the writer calls this, between two transactions. Returns whether the whole log is in
/// the database file, so that the next commit begins it again. Readers can prevent it.
pub(super) fn move_rest(conn: &mut Connection) -> Result<bool, StoreError> {
    Ok(move_pages(conn)?.is_complete())
}

impl Checkpointer {
    /// Starts the thread for an SQLite database.
    pub fn start(url: DatabaseUrl, guard: FileGuard, restart: Restart) -> Result<Self, StoreError> {
        let (stop, stopped) = channel();
        // Open now: if the log file is deleted later, its content can still be saved through this connection.
        let conn = open(&url)?;
        let file = DatabaseFile::open(&url)?;
        let work = Work { url, guard, restart, file, moved: 0 };
        let thread = std::thread::Builder::new()
            .name("store-checkpoint".to_owned())
            .spawn(move || work.run(conn, &stopped))
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

/// The database file, opened a second time to sync it beside the writer. A checkpoint syncs it only when the whole log
/// is in it; then all that was moved before would be synced while the writer waits.
///
/// It is never closed: POSIX drops all locks of a process on a file when the process closes any descriptor of the file,
/// and SQLite has locks on it.
struct DatabaseFile(ManuallyDrop<File>);

impl DatabaseFile {
    fn open(url: &DatabaseUrl) -> Result<Option<Self>, StoreError> {
        let DatabaseUrl::Sqlite(path) = url else { return Ok(None) };
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(StoreError::unavailable)?;
        Ok(Some(Self(ManuallyDrop::new(file))))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.0.sync_data().map_err(StoreError::unavailable)
    }
}

struct Work {
    url: DatabaseUrl,
    guard: FileGuard,
    restart: Restart,
    file: Option<DatabaseFile>,
    /// Pages of the log that were in the database file after the last checkpoint.
    moved: i32,
}

impl Work {
    fn run(mut self, conn: Connection, stopped: &Receiver<()>) {
        let mut conn = Some(conn);
        let mut pause = IDLE;
        loop {
            let last = stopped.recv_timeout(pause) != Err(RecvTimeoutError::Timeout);
            // The guard has logged the error.
            let _ = self.guard.confirm();
            if !self.guard.may_checkpoint() {
                if last {
                    return;
                }
                pause = IDLE;
                continue;
            }
            let opened = match conn.take() {
                Some(conn) => Ok(conn),
                // A new connection would open the replaced files.
                None => self.guard.known().and_then(|()| open(&self.url)),
            };
            let before = self.moved;
            let outcome = match opened {
                Ok(mut open) => self.checkpoint(&mut open, last).map(|()| conn = Some(open)),
                Err(error) => Err(error),
            };
            pause = if self.moved == before { IDLE } else { BUSY };
            // On a full disk every checkpoint fails, and the guard has already logged it.
            if let Err(error) = outcome
                && !self.guard.waits_for_room()
            {
                tracing::warn!(%error, "checkpoint failed");
            }
            if last {
                return;
            }
        }
    }

    /// Moves as many pages as possible without blocking. Tells the writer when the log has grown long.
    fn checkpoint(&mut self, conn: &mut Connection, last: bool) -> Result<(), StoreError> {
        if last {
            return truncate(conn).map(drop);
        }
        for _ in 0..PASSES {
            let progress = move_pages(conn)?;
            let moved = std::mem::replace(&mut self.moved, progress.checkpointed);
            if moved != progress.checkpointed && !progress.is_complete() {
                self.file.as_ref().map_or(Ok(()), DatabaseFile::sync)?;
            }
            if progress.log < RESTART_FROM {
                return Ok(());
            }
            if progress.rest() <= SHORT || progress.log >= LONG {
                self.restart.request();
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Uses a short timeout, because a checkpoint that waits for readers blocks the writer.
fn open(url: &DatabaseUrl) -> Result<Connection, StoreError> {
    let mut conn = Connection::open(url, Purpose::Maintain)?;
    conn.batch_execute("PRAGMA busy_timeout = 100")?;
    conn.batch_execute(OPEN_FILES)?;
    Ok(conn)
}
