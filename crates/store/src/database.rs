//! The public interface of the store: open, read, write, append, shut down.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::r2d2::R2D2Connection;
use diesel::sql_types::Text;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;
use tracing::Instrument;

use super::checkpoint::{Checkpointer, Restart};
use super::connection::{Connection, Purpose};
use super::event_reads::Head;
use super::heads::Heads;
use super::node_messages::{self, NodeMessage, NodeMessages};
use super::pool::{Losses, Readers, UnconfirmedRead};
use super::schema::attempts;
use super::sqlite::{DiskSpace, FileGuard};
use super::url::DatabaseUrl;
use super::writer::{
    Append, AppendResult, Authority, StoreObserver, UnitError, Unobserved, WriteRefusal, WriterHandle,
    WriterSettings,
};
use super::{GameId, Result, StoreError, migrations, request};
use estimation_postgres::ServerId;

/// A read without the type of its value.
type Read = Box<dyn FnOnce(&mut Connection) -> Result<(), StoreError> + Send>;

/// Writes are not checked so soon after one.
const CHECK_AFTER: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Settings {
    /// Connections for reading, at least 1.
    pub readers: u32,
    /// Maximum units of work per transaction, at least 1.
    pub batch: usize,
    /// Maximum number of waiting units, and separately of waiting reads. Further ones fail with
    /// [`StoreError::Overloaded`].
    pub queue: usize,
    /// How long a read waits for a connection.
    pub patience: Duration,
    /// Receives every commit and every wait.
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

/// An open database. Cheap to clone. Dropping the last clone lets the writer finish and end.
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

struct Inner {
    url: DatabaseUrl,
    guard: FileGuard,
    readers: Readers,
    permits: Arc<Semaphore>,
    reading: AtomicUsize,
    max_reads: usize,
    heads: Heads,
    writer: WriterHandle,
    observer: Arc<dyn StoreObserver>,
    checkpointer: Mutex<Option<Checkpointer>>,
}

impl Database {
    /// Opens a database, migrates its schema and starts the writer. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the database cannot be reached, and the errors of [`migrations::apply`].
    pub fn open(url: &DatabaseUrl, settings: Settings) -> Result<Self, StoreError> {
        protect(url)?;
        let guard = FileGuard::start(url, || migrations::apply(url).map(drop))?;
        let connection = Connection::open(url, Purpose::Write)?;
        guard.confirm()?;
        let restart = Restart::default();
        let checkpointer = match url {
            DatabaseUrl::Sqlite(_) => Some(Checkpointer::start(url.clone(), guard.clone(), restart.clone())?),
            DatabaseUrl::Postgres(_) => None,
        };
        let Settings { readers, batch, queue, patience, observer } = settings;
        let watching = Arc::clone(&observer);
        let losses = Losses::default();
        let writer = WriterSettings {
            batch,
            queue,
            observer,
            guard: guard.clone(),
            restart,
            losses: Arc::clone(&losses),
        };
        let writer = WriterHandle::start(url.clone(), connection, writer)?;
        let pool = Readers::new(url, Purpose::Read, readers, patience, &losses, &guard);
        let asking = Readers::new(url, Purpose::Heads, 1, patience, &losses, &guard);
        let inner = Inner {
            url: url.clone(),
            guard,
            heads: Heads::start(asking, queue)?,
            readers: pool,
            permits: Arc::new(Semaphore::new(readers.max(1) as usize)),
            reading: AtomicUsize::new(0),
            max_reads: queue.max(1),
            writer,
            observer: watching,
            checkpointer: Mutex::new(checkpointer),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Runs queries on a pooled connection, off the event loop. The database refuses writes there.
    ///
    /// # Errors
    /// The closure's error, [`StoreError::Overloaded`] or [`StoreError::Unavailable`].
    pub async fn read<T, F>(&self, read: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        // The compiler makes this for each query, so it only hands the value over.
        let (found, mut value) = oneshot::channel();
        let work: Read = Box::new(move |conn| {
            // The caller may be gone.
            let _ = found.send(read(conn)?);
            Ok(())
        });
        self.run_read(work).await?;
        value.try_recv().map_err(|_| StoreError::Defect { detail: "a read has no value".to_owned() })
    }

    async fn run_read(&self, read: Read) -> Result<(), StoreError> {
        let _slot = ReadSlot::take(&self.inner)?;
        if let Some(unconfirmed) = request::in_time(self.read_on_pool(read)).await?? {
            self.confirm(&unconfirmed.server, unconfirmed.opened).await?;
        }
        Ok(())
    }

    async fn read_on_pool(&self, read: Read) -> Result<Option<UnconfirmedRead>, StoreError> {
        self.inner.guard.known()?;
        // There are as many threads as connections. The other reads wait here, where waiting is cheap.
        let asked = Instant::now();
        let permit = Arc::clone(&self.inner.permits).acquire_owned().await;
        self.inner.observer.waited_to_read(asked.elapsed());
        let readers = self.inner.readers.clone();
        let confirmed = Arc::clone(self.inner.writer.confirmed());
        let task = spawn_blocking(move || {
            let _permit = permit;
            readers.run_unconfirmed(read, &confirmed)
        });
        task.await.unwrap_or_else(|e| Err(StoreError::Defect { detail: e.to_string() }))
    }

    /// Like [`Database::read`], but also waits until the rows that were read are on every server that can
    /// become the primary. Needed when the response acknowledges them: a row can be visible although no node
    /// has its commit acknowledged.
    ///
    /// # Errors
    /// As [`Database::read`]; [`StoreError::Unavailable`] or [`StoreError::OutcomeUnknown`] when the rows
    /// cannot be confirmed.
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

    /// Waits until everything that a server showed at `time` is confirmed.
    async fn confirm(&self, server: &ServerId, time: Instant) -> Result<(), StoreError> {
        let writer = &self.inner.writer;
        writer.confirm().await?;
        if writer.confirmed().covers(server, time) {
            Ok(())
        } else {
            Err(StoreError::unavailable("what was read is on another server than what is written"))
        }
    }

    /// How long the oldest unit has waited to be written.
    pub fn longest_wait(&self) -> Duration {
        self.inner.writer.longest_wait()
    }

    /// The head of a game's log; `None` when there is no such game. One query answers all concurrent calls.
    ///
    /// # Errors
    /// [`StoreError::Overloaded`], or a database error.
    pub async fn head(&self, game: GameId) -> Result<Option<Head>, StoreError> {
        self.inner.guard.known()?;
        self.inner.heads.of(game).await
    }

    /// Runs a unit of work in the writer's next batch, by an authority that is asserted in the same transaction, and returns
    /// when it is durable. A failure does not
    /// affect other units. The closure may run several times, so it must have no effects outside the
    /// database.
    ///
    /// # Errors
    /// The closure's error (then nothing of it is written), or why it could not be written.
    pub async fn write<T, E, F>(&self, by: impl Authority<E>, mut work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: UnitError,
        F: FnMut(&mut Connection) -> Result<T, E> + Send + 'static,
    {
        let work = move |conn: &mut Connection| {
            by.assert(conn)?;
            work(conn)
        };
        record_outcome(self.inner.writer.write(work).await)
    }

    /// Appends to the log of one game, with the append's effects, and returns when it is durable.
    ///
    /// # Errors
    /// [`StoreError::VersionConflict`] when the game has moved on, [`StoreError::Malformed`] for a
    /// contradictory append, the errors of its effects, or why it could not be written.
    pub async fn append(&self, append: Append) -> Result<AppendResult, StoreError> {
        let span = tracing::debug_span!("append", game = %append.game, seq = append.first_seq());
        record_outcome(self.inner.writer.append(append).instrument(span).await)
    }

    /// Exchanges messages with other nodes on the caller's runtime until the sender is dropped. Returns `None`
    /// on SQLite, where there are no other nodes.
    pub fn exchange_messages(
        &self,
        heard: impl Fn(NodeMessage) + Send + Sync + 'static,
    ) -> Option<NodeMessages> {
        match &self.inner.url {
            DatabaseUrl::Sqlite(_) => None,
            DatabaseUrl::Postgres(url) => Some(node_messages::exchange(url, heard)),
        }
    }

    /// Whether other nodes may work on the database.
    pub fn is_shared(&self) -> bool {
        matches!(self.inner.url, DatabaseUrl::Postgres(_))
    }

    /// Checks that the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.read(|conn| Ok(conn.ping()?)).await
    }

    /// Checks that the database accepts writes, unless it has just written something. The answer is in
    /// [`Database::write_refusal`].
    pub async fn check_writes(&self) {
        let refusals = self.inner.writer.refusals();
        let refusal = refusals.current();
        if refusal.is_none() && !refusals.idle_for(CHECK_AFTER) {
            return;
        }
        let was_locked = refusal == Some(WriteRefusal::Locked);
        // The writer notes its own failures.
        if let Ok(Some(refusal)) = self.inner.writer.write(move |conn| write_refusal(conn, was_locked)).await
        {
            refusals.refused(refusal);
        }
    }

    /// Why the database refuses writes at present.
    pub fn write_refusal(&self) -> Option<WriteRefusal> {
        if self.is_replaced() {
            return Some(WriteRefusal::Replaced);
        }
        self.inner.writer.refusals().current()
    }

    /// The space on the disk of an SQLite database; none for PostgreSQL.
    pub fn disk(&self) -> Option<DiskSpace> {
        self.inner.guard.disk()
    }

    /// Whether the database answered a write after that time.
    pub fn answered_write_since(&self, time: Instant) -> bool {
        self.inner.writer.refusals().answered_since(time)
    }

    /// Whether SQLite's files were deleted or replaced while they were open. Reads and writes are refused
    /// from then on.
    pub fn is_replaced(&self) -> bool {
        self.inner.guard.known().is_err()
    }

    /// The time since this node last appended events.
    pub fn since_last_append(&self) -> Duration {
        self.inner.writer.since_last_append()
    }

    /// Refuses further writes, finishes the queued ones, and returns when they are durable. Reads continue.
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

/// Reports the outcome of a write to the request that is running.
fn record_outcome<T, E: UnitError>(outcome: Result<T, E>) -> Result<T, E> {
    let is_unknown = |error: &E| matches!(error.store_error(), Some(StoreError::OutcomeUnknown { .. }));
    if outcome.as_ref().err().is_none_or(is_unknown) {
        request::has_written();
    }
    outcome
}

/// A slot among the bounded number of reads that run or wait.
struct ReadSlot<'a>(&'a AtomicUsize);

impl<'a> ReadSlot<'a> {
    fn take(inner: &'a Inner) -> Result<Self, StoreError> {
        let slot = Self(&inner.reading);
        if inner.reading.fetch_add(1, Ordering::Relaxed) >= inner.max_reads {
            return Err(StoreError::Overloaded);
        }
        Ok(slot)
    }
}

impl Drop for ReadSlot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Makes the database file readable by its owner only: it holds seeds and password hashes.
fn protect(url: &DatabaseUrl) -> Result<(), StoreError> {
    let DatabaseUrl::Sqlite(path) = url else { return Ok(()) };
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(StoreError::unavailable(format!("{}: {error}", path.display()))),
    }
}

/// Fails at once where another session locks a table of the log.
const LOG_IS_FREE: &str = "LOCK TABLE games, game_events IN ROW EXCLUSIVE MODE NOWAIT";

/// Why the database would refuse a write. Takes part in a transaction of the writer.
///
/// # Errors
/// Where the check itself is refused.
fn write_refusal(conn: &mut Connection, was_locked: bool) -> Result<Option<WriteRefusal>> {
    match conn {
        Connection::Sqlite(conn) => {
            // Deletes nothing. A read-only database refuses the statement.
            diesel::delete(attempts::table.filter(diesel::dsl::sql::<diesel::sql_types::Bool>("0")))
                .execute(conn)?;
            Ok(None)
        }
        Connection::Postgres(conn) => {
            let read_only = diesel::dsl::sql::<Text>("SELECT current_setting('transaction_read_only')");
            if read_only.get_result::<String>(conn)? == "on" {
                // As an error, so that the writer opens a new session: this one may have kept an old default.
                return Err(StoreError::ReadOnly { detail: "transactions are read-only".to_owned() });
            }
            // In a savepoint of its own, because the other units of the transaction may not need these tables.
            let free = |conn: &mut super::PgConnection| Ok(conn.batch_execute(LOG_IS_FREE)?);
            match was_locked.then(|| diesel::Connection::transaction(conn, free)) {
                Some(Err(error)) if StoreError::is_lock(&error) => Ok(Some(WriteRefusal::Locked)),
                Some(Err(error)) => Err(error),
                Some(Ok(())) | None => Ok(None),
            }
        }
    }
}
