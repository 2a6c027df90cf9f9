//! Connections for reading: a bounded pool, and getting over a database that was away.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::r2d2::{HandleError, ManageConnection, Pool, PooledConnection, R2D2Connection};

use super::connection::{Connection, OPEN_FILES, Purpose};
use super::error::StoreError;
use super::postgres::ServerId;
use super::sqlite::FileGuard;
use super::url::DatabaseUrl;
use super::writer::Confirmed;

/// The pool. Cheap to clone.
#[derive(Clone)]
pub(super) struct Readers(Pool<Manager>);

/// How many connections to a database were lost. The pools of one database share it.
pub(super) type Losses = Arc<AtomicU64>;

/// A connection that shows what no standby may have: its server was perhaps restarted before it was opened.
pub(super) struct Doubt {
    pub server: ServerId,
    pub opened: Instant,
}

/// A pooled connection, and how many losses the pool knew of when it was last found to be alive.
pub(super) struct Reader {
    conn: Connection,
    /// Since when what it shows is in doubt, until a later commit on the same server has been acknowledged.
    doubtful_since: Option<Instant>,
    losses: u64,
    /// Whether its last use ended in trouble. Diesel does not notice every loss by itself.
    troubled: bool,
}

/// Opens and checks connections for reading. One that breaks puts all others under suspicion: they are
/// tried before they are handed out again. Otherwise a check costs nothing.
pub(super) struct Manager {
    url: DatabaseUrl,
    purpose: Purpose,
    losses: Losses,
    guard: FileGuard,
}

impl Readers {
    /// A pool of up to `size` connections, opened when they are needed; waits `patience` for one. What is lost
    /// in one pool puts all that share `losses` under suspicion.
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

    /// Runs a closure on a connection, and tells if what it saw is in doubt. Blocks.
    pub fn run_with_doubt<T>(
        &self,
        read: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
        confirmed: &Confirmed,
    ) -> Result<(T, Option<Doubt>), StoreError> {
        let mut reader = self.reader()?;
        let value = reader.run(read)?;
        Ok((value, reader.doubt(confirmed)))
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
        self.troubled = outcome.as_ref().is_err_and(|error| !error.leaves_connection_sound());
        outcome
    }

    fn doubt(&mut self, confirmed: &Confirmed) -> Option<Doubt> {
        let (opened, server) = (self.doubtful_since?, self.conn.server()?);
        if confirmed.covers(server, opened) {
            self.doubtful_since = None;
            return None;
        }
        Some(Doubt { server: server.clone(), opened })
    }
}

impl ManageConnection for Manager {
    type Connection = Reader;
    type Error = StoreError;

    fn connect(&self) -> Result<Reader, StoreError> {
        let losses = self.losses.load(Ordering::Relaxed);
        let mut conn = Connection::open(&self.url, self.purpose)?;
        if let Connection::Sqlite(conn) = &mut conn {
            // They have to be those that the writer has open.
            conn.batch_execute(OPEN_FILES)?;
            self.guard.confirm()?;
        }
        let doubtful_since = conn.is_synchronous().then(Instant::now);
        Ok(Reader { conn, doubtful_since, losses, troubled: false })
    }

    fn is_valid(&self, reader: &mut Reader) -> Result<(), StoreError> {
        let losses = self.losses.load(Ordering::Relaxed);
        if reader.losses != losses {
            reader.conn.ping()?;
            reader.losses = losses;
        }
        Ok(())
    }

    fn has_broken(&self, reader: &mut Reader) -> bool {
        let broken = reader.troubled || reader.conn.is_spent() || std::thread::panicking();
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
