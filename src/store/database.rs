//! The database as everybody else sees it: open, read, write, append, shut down.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use diesel::r2d2::R2D2Connection;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tracing::Instrument;

use super::checkpoint::Checkpointer;
use super::connection::{Connection, Purpose};
use super::error::StoreError;
use super::events::Head;
use super::heads::Heads;
use super::migrations;
use super::notices::{self, Notice, NoticeBoard};
use super::pool::{Doubt, Losses, Readers};
use super::postgres::ServerId;
use super::request;
use super::sqlite::FileGuard;
use super::url::DatabaseUrl;
use super::writer::{
    Append, Appended, StoreObserver, Unobserved, WriterHandle, WriterSettings, WriterStatistics,
};

/// How a database is used.
#[derive(Clone)]
pub struct Settings {
    /// Connections for reading, at least 1.
    pub readers: u32,
    /// Units of work in one transaction, at most; at least 1.
    pub batch: usize,
    /// Units of work, and separately reads, that may wait before others are refused as
    /// [`StoreError::Overloaded`].
    pub queue: usize,
    /// How long a read waits for a connection.
    pub patience: Duration,
    /// Told about every commit and every wait.
    pub observer: Arc<dyn StoreObserver>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            readers: 8,
            batch: 256,
            queue: 4_096,
            patience: Duration::from_secs(2),
            observer: Arc::new(Unobserved),
        }
    }
}

/// An open database. Cheap to clone; the last clone to go lets the writer finish by itself.
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

struct Inner {
    url: DatabaseUrl,
    guard: FileGuard,
    readers: Readers,
    seats: Arc<Semaphore>,
    /// How many seats there are.
    places: usize,
    reading: AtomicUsize,
    most_reading: usize,
    heads: Heads,
    writer: WriterHandle,
    observer: Arc<dyn StoreObserver>,
    checkpointer: Mutex<Option<Checkpointer>>,
}

impl Database {
    /// Opens a database, brings its schema up to date and starts the writer. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it cannot be reached, [`StoreError::Migration`] when its schema
    /// cannot be brought up to date.
    pub fn open(url: &DatabaseUrl, settings: Settings) -> Result<Self, StoreError> {
        protect(url)?;
        let guard = FileGuard::start(url, || migrations::apply(url).map(drop))?;
        let connection = Connection::open(url, Purpose::Write)?;
        guard.confirm()?;
        let checkpointer = match url {
            DatabaseUrl::Sqlite(_) => Some(Checkpointer::start(url.clone(), guard.clone())?),
            DatabaseUrl::Postgres(_) => None,
        };
        let Settings { readers, batch, queue, patience, observer } = settings;
        let watching = Arc::clone(&observer);
        let writer = WriterSettings { batch, queue, observer, guard: guard.clone() };
        let writer = WriterHandle::start(url.clone(), connection, writer)?;
        let losses = Losses::default();
        let pool = Readers::new(url, Purpose::Read, readers, patience, &losses, &guard);
        let asking = Readers::new(url, Purpose::Heads, 1, patience, &losses, &guard);
        let places = readers.max(1) as usize;
        let inner = Inner {
            url: url.clone(),
            guard,
            heads: Heads::start(asking, queue)?,
            readers: pool,
            seats: Arc::new(Semaphore::new(places)),
            places,
            reading: AtomicUsize::new(0),
            most_reading: queue.max(1),
            writer,
            observer: watching,
            checkpointer: Mutex::new(checkpointer),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Runs queries on a pooled connection, off the event loop. The database refuses writes there.
    ///
    /// # Errors
    /// What the closure returns, [`StoreError::Overloaded`] or [`StoreError::Unavailable`].
    pub async fn read<T, F>(&self, read: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let _turn = Turn::take(&self.inner)?;
        let (value, doubt) = request::in_time(self.read_in_a_seat(read)).await??;
        if let Some(doubt) = doubt {
            self.confirm(&doubt.server, doubt.opened).await?;
        }
        Ok(value)
    }

    async fn read_in_a_seat<T, F>(&self, read: F) -> Result<(T, Option<Doubt>), StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        self.inner.guard.known()?;
        // As many threads as connections: the others wait here, where waiting costs nothing.
        let asked = Instant::now();
        let seat = Arc::clone(&self.inner.seats).acquire_owned().await;
        self.inner.observer.waited_to_read(asked.elapsed());
        let readers = self.inner.readers.clone();
        let confirmed = Arc::clone(self.inner.writer.confirmed());
        let task = spawn_blocking(move || {
            let _seat = seat;
            readers.run_with_doubt(read, &confirmed)
        });
        task.await.unwrap_or_else(|e| Err(StoreError::Defect { detail: e.to_string() }))
    }

    /// Runs queries like [`Database::read`], for an answer that acknowledges what they find: waits until all of it is
    /// on every server that can become the primary. A row can be visible although its commit was acknowledged to no
    /// node.
    ///
    /// # Errors
    /// As [`Database::read`]; [`StoreError::Unavailable`] or [`StoreError::OutcomeUnknown`] where it cannot be
    /// confirmed.
    pub async fn read_confirmed<T, F>(&self, read: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (value, server) = self
            .read(move |conn| {
                let value = read(conn)?;
                Ok((value, conn.server().cloned()))
            })
            .await?;
        if let Some(server) = server {
            self.confirm(&server, Instant::now()).await?;
        }
        Ok(value)
    }

    /// Waits until all that is on a server at a time is confirmed.
    async fn confirm(&self, server: &ServerId, time: Instant) -> Result<(), StoreError> {
        let writer = &self.inner.writer;
        writer.confirm().await?;
        if writer.confirmed().covers(server, time) {
            Ok(())
        } else {
            Err(StoreError::unavailable("what was read is on another server than what is written"))
        }
    }

    /// How many reads run, those included whose callers have been answered. Never more than there are connections.
    pub fn reads_running(&self) -> usize {
        self.inner.places - self.inner.seats.available_permits()
    }

    /// How long the unit has waited that has waited longest to be written.
    pub fn longest_wait(&self) -> Duration {
        self.inner.writer.longest_wait()
    }

    /// Where the log of a game ends; `None` when there is no such game. For those who ask often: all who ask
    /// at the same time are answered with one query.
    ///
    /// # Errors
    /// What reading met, or [`StoreError::Overloaded`].
    pub async fn head(&self, game: String) -> Result<Option<Head>, StoreError> {
        self.inner.guard.known()?;
        self.inner.heads.of(game).await
    }

    /// Runs a unit of work in the writer's next batch and returns when it is durable. It fails alone, and
    /// it may be run more than once before it is committed: nothing but the database may remember that.
    ///
    /// # Errors
    /// What the closure returns (then nothing of it is written), or why it could not be written.
    pub async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        noted(self.inner.writer.write(work).await)
    }

    /// Appends to the log of one game, with everything that goes with it, and returns when it is durable.
    ///
    /// # Errors
    /// [`StoreError::VersionConflict`] when the game has moved on, [`StoreError::Malformed`] for a unit
    /// that contradicts itself, those its effects name, or why it could not be written.
    pub async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let span = tracing::debug_span!("append", game = append.game, seq = append.first_seq);
        noted(self.inner.writer.append(append).instrument(span).await)
    }

    /// Starts to exchange notices with other nodes, on the runtime of the caller, until the board is
    /// dropped. None where there are no other nodes: on SQLite.
    pub fn exchange_notices(&self, heard: impl Fn(Notice) + Send + Sync + 'static) -> Option<NoticeBoard> {
        match &self.inner.url {
            DatabaseUrl::Sqlite(_) => None,
            DatabaseUrl::Postgres(url) => Some(notices::exchange(url, heard)),
        }
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// Why it does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.read(|conn| Ok(conn.ping()?)).await
    }

    /// Whether SQLite's files were deleted or replaced while they were open. Nothing is written or read since.
    pub fn is_replaced(&self) -> bool {
        self.inner.guard.known().is_err()
    }

    /// What the writer has done since the database was opened.
    pub fn statistics(&self) -> WriterStatistics {
        self.inner.writer.statistics()
    }

    /// Takes no more writes, finishes what is queued, and returns when it is durable. Reads go on.
    pub async fn shutdown(&self) {
        let inner = Arc::clone(&self.inner);
        let task = spawn_blocking(move || {
            inner.writer.stop();
            let checkpointer = inner.checkpointer.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(checkpointer) = checkpointer {
                checkpointer.stop();
            }
        });
        if task.await.is_err() {
            tracing::error!("shutting the store down panicked");
        }
    }
}

/// The outcome of a write, of which the request that runs has to know.
fn noted<T>(outcome: Result<T, StoreError>) -> Result<T, StoreError> {
    if matches!(outcome, Ok(_) | Err(StoreError::OutcomeUnknown { .. })) {
        request::has_written();
    }
    outcome
}

/// One of the bounded number of reads that run or wait.
struct Turn<'a>(&'a AtomicUsize);

impl<'a> Turn<'a> {
    fn take(inner: &'a Inner) -> Result<Self, StoreError> {
        let turn = Self(&inner.reading);
        if inner.reading.fetch_add(1, Ordering::Relaxed) >= inner.most_reading {
            return Err(StoreError::Overloaded);
        }
        Ok(turn)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The file holds seeds and password hashes: where files have owners, it is its owner's alone.
fn protect(url: &DatabaseUrl) -> Result<(), StoreError> {
    let DatabaseUrl::Sqlite(path) = url else { return Ok(()) };
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(StoreError::unavailable(format!("{}: {error}", path.display()))),
    }
}
