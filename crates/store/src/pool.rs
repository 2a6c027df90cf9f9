//! A bounded pool of connections for reading, which recovers after the database was unreachable.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::r2d2::{HandleError, ManageConnection, Pool, PooledConnection, R2D2Connection};

use super::connection::{Connection, OPEN_FILES, Purpose};
use super::error::StoreError;
use super::sqlite::FileGuard;
use super::url::DatabaseUrl;
use estimation_postgres::ServerId;

/// The pool. Cheap to clone.
#[derive(Clone)]
pub(super) struct Readers(Pool<Manager>);

/// The number of lost connections. All pools of one database share it.
pub(super) type Losses = Arc<AtomicU64>;

/// A read that may show rows that no standby has, because the server may have restarted before the connection
/// was opened.
pub(super) struct UnconfirmedRead {
    pub server: ServerId,
    pub opened: Instant,
}

/// A pooled connection, and the number of losses the pool knew when the connection was last checked.
pub(super) struct Reader {
    conn: Connection,
    /// The time from which rows need confirming, until a later commit on the same server is acknowledged.
    unconfirmed_since: Option<Instant>,
    losses: u64,
    /// Whether its last use failed. Diesel does not detect every loss.
    last_use_failed: bool,
}

/// Opens and checks connections for reading. When one breaks, the pool tests SQLite's others before their next
/// use and replaces PostgreSQL's: a connection that froze with it would keep the test waiting. Otherwise the check
/// is free.
pub(super) struct Manager {
    url: DatabaseUrl,
    purpose: Purpose,
    losses: Losses,
    guard: FileGuard,
}

impl Readers {
    /// A pool of up to `size` connections, opened on demand. Waits up to `patience` for one. Pools that share
    /// `losses` also test their connections when one of another pool breaks.
    pub fn new(
        url: &DatabaseUrl,
        purpose: Purpose,
        size: u32,
        patience: Duration,
        losses: &Losses,
        guard: &FileGuard,
    ) -> Self {
        let manager = Manager { url: url.clone(), purpose, losses: Arc::clone(losses), guard: guard.clone() };
        let pool = Pool::builder()
            .max_size(size.max(1))
            .min_idle(Some(0))
            .test_on_check_out(true)
            .connection_timeout(patience)
            .error_handler(Box::new(Complain))
            .build_unchecked(manager);
        Self(pool)
    }

    /// Runs a closure on a connection. Blocks.
    pub fn run<T>(
        &self,
        read: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.reader()?.run(read)
    }

    /// Runs a closure on a connection, and returns whether the rows it read need confirming. Blocks.
    pub fn run_unconfirmed(
        &self,
        read: impl FnOnce(&mut Connection) -> Result<(), StoreError>,
        confirmed: &AcknowledgedCommit,
    ) -> Result<Option<UnconfirmedRead>, StoreError> {
        let mut reader = self.reader()?;
        reader.run(read)?;
        Ok(reader.unconfirmed(confirmed))
    }

    fn reader(&self) -> Result<PooledConnection<Manager>, StoreError> {
        self.0.get().map_err(StoreError::unavailable)
    }
}

impl Reader {
    fn run<T>(
        &mut self,
        read: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let outcome = read(&mut self.conn);
        self.last_use_failed = outcome.as_ref().is_err_and(|error| !error.leaves_connection_sound());
        outcome
    }

    fn unconfirmed(&mut self, confirmed: &AcknowledgedCommit) -> Option<UnconfirmedRead> {
        let (opened, server) = (self.unconfirmed_since?, self.conn.server()?);
        if confirmed.covers(server, opened) {
            self.unconfirmed_since = None;
            return None;
        }
        Some(UnconfirmedRead { server: server.clone(), opened })
    }
}

impl ManageConnection for Manager {
    type Connection = Reader;
    type Error = StoreError;

    fn connect(&self) -> Result<Reader, StoreError> {
        let losses = self.losses.load(Ordering::Relaxed);
        let mut conn = Connection::open(&self.url, self.purpose)?;
        if let Connection::Sqlite(conn) = &mut conn {
            // Open now, so that these are the same files as the writer's.
            conn.batch_execute(OPEN_FILES)?;
            self.guard.confirm()?;
        }
        let unconfirmed_since = conn.is_synchronous().then(Instant::now);
        Ok(Reader { conn, unconfirmed_since, losses, last_use_failed: false })
    }

    fn is_valid(&self, reader: &mut Reader) -> Result<(), StoreError> {
        let losses = self.losses.load(Ordering::Relaxed);
        if reader.losses == losses {
            return Ok(());
        }
        if let Connection::Postgres(_) = reader.conn {
            return Err(StoreError::unavailable("another connection was lost"));
        }
        reader.conn.ping()?;
        reader.losses = losses;
        Ok(())
    }

    fn has_broken(&self, reader: &mut Reader) -> bool {
        let broken = reader.last_use_failed || reader.conn.is_spent() || std::thread::panicking();
        if broken {
            self.losses.fetch_add(1, Ordering::Relaxed);
        }
        broken
    }
}

#[derive(Debug)]
struct Complain;

impl HandleError<StoreError> for Complain {
    fn handle_error(&self, error: StoreError) {
        tracing::warn!(%error, "cannot open a connection for reading");
    }
}

/// The newest commit that PostgreSQL acknowledged: its server and the time its transaction began.
///
/// With synchronous replication, an acknowledged commit is on a standby, and so are all earlier commits of the same server. A
/// reader may see more than that: a restarted server also shows commits that no standby has. Such a reader waits for a commit
/// of the writer that begins later.
#[derive(Default)]
pub(crate) struct AcknowledgedCommit(Mutex<Option<(ServerId, Instant)>>);

impl AcknowledgedCommit {
    /// Records that a transaction begun at `begun` was acknowledged.
    pub(crate) fn note(&self, server: &ServerId, begun: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((server.clone(), begun));
    }

    /// Whether everything that a server showed at `time` is confirmed.
    pub fn covers(&self, server: &ServerId, time: Instant) -> bool {
        let newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        newest.as_ref().is_some_and(|(confirmed, begun)| confirmed == server && *begun >= time)
    }
}
