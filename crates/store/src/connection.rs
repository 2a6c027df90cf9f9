//! Opens and configures connections to either database.
//!
//! Callers write their queries once against [`Connection`]. Only the files of `store` distinguish the two
//! backends.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::r2d2::R2D2Connection;
use diesel::{Connection as _, QueryableByName, RunQueryDsl, SqliteConnection};

pub(super) use super::any_connection::AnyConnection as Connection;
use super::error::StoreError;
use super::url::DatabaseUrl;
use estimation_postgres::{PgConnection, ServerId};

/// Makes SQLite open its files, which it otherwise does at the first read.
pub(super) const OPEN_FILES: &str = "SELECT 1 FROM sqlite_schema LIMIT 1";

/// SQLite's time, in milliseconds since 1970.
pub(super) const SQLITE_CLOCK: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/// PostgreSQL's time, in milliseconds since 1970.
pub(super) const POSTGRES_CLOCK: &str = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

/// What a connection is used for. Decides its session settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Queries only. The database refuses writes.
    Read,
    /// Reading the heads of logs: always the same query, many times a second.
    Heads,
    /// The writer thread: durable commits, no automatic checkpoints.
    Write,
    /// Migrations and checkpoints.
    Maintain,
    /// Copying a whole SQLite database to another file, which `query_only` would forbid.
    Copy,
}

impl Purpose {
    /// Whether the database should refuse writes.
    fn only_reads(self) -> bool {
        matches!(self, Purpose::Read | Purpose::Heads)
    }

    /// The timeout for an answer of PostgreSQL, after which the connection is given up. The server cancels
    /// statements of readers and the writer earlier, if it can.
    fn limit(self) -> Duration {
        match self {
            Purpose::Read | Purpose::Heads | Purpose::Write => Duration::from_secs(8),
            Purpose::Maintain | Purpose::Copy => Duration::from_hours(1),
        }
    }
}

impl Connection {
    /// Opens a connection and prepares the session.
    pub(super) fn open(url: &DatabaseUrl, purpose: Purpose) -> Result<Self, StoreError> {
        match url {
            DatabaseUrl::Sqlite(path) => {
                let name = if purpose.only_reads() {
                    // A connection that can write checkpoints when it is closed: into the file that is at the path now, also
                    // if others still have another one open, and it deletes the log.
                    read_only(path)?
                } else if path.is_absolute() {
                    path.display().to_string()
                } else {
                    // SQLite would read a name like "file:x" as a URI and obey its options.
                    format!("./{}", path.display())
                };
                let mut conn = SqliteConnection::establish(&name).map_err(StoreError::unavailable)?;
                prepare_sqlite(&mut conn, purpose)?;
                Ok(Self::Sqlite(conn))
            }
            DatabaseUrl::Postgres(url) => {
                let mut conn =
                    PgConnection::open(url.settings(), purpose.limit()).map_err(StoreError::unavailable)?;
                prepare_postgres(&mut conn, purpose)?;
                Ok(Self::Postgres(conn))
            }
        }
    }

    /// Opens a read-only connection without the pool and without migrations, to inspect a database from
    /// outside.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the database cannot be reached.
    pub fn inspect(url: &DatabaseUrl) -> Result<Self, StoreError> {
        match url {
            DatabaseUrl::Sqlite(path) if !path.exists() => {
                Err(StoreError::unavailable(format!("there is no {}", path.display())))
            }
            _ => Self::open(url, Purpose::Read),
        }
    }

    /// Runs several reads in one snapshot of the database.
    pub fn in_snapshot<T, E: From<StoreError>>(
        &mut self,
        read: impl FnOnce(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let outcome = self.transaction(|conn| {
            if let Connection::Postgres(conn) = conn {
                conn.batch_execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")?;
            }
            Ok::<_, diesel::result::Error>(read(conn))
        });
        outcome.unwrap_or_else(|error| Err(StoreError::from(error).into()))
    }

    /// The SQL expression for the database's time, in milliseconds since 1970.
    pub(super) fn clock(&self) -> &'static str {
        match self {
            Connection::Sqlite(_) => SQLITE_CLOCK,
            Connection::Postgres(_) => POSTGRES_CLOCK,
        }
    }

    /// The database's time, in milliseconds since 1970.
    pub(super) fn now(&mut self) -> Result<i64, StoreError> {
        Ok(diesel::select(diesel::dsl::sql::<diesel::sql_types::BigInt>(self.clock())).get_result(self)?)
    }

    /// The PostgreSQL server of the connection; none on SQLite.
    pub(super) fn server(&self) -> Option<&ServerId> {
        match self {
            Connection::Sqlite(_) => None,
            Connection::Postgres(conn) => Some(conn.server()),
        }
    }

    /// Whether commits waited for standbys when the connection was opened.
    pub(super) fn is_synchronous(&self) -> bool {
        matches!(self, Connection::Postgres(conn) if conn.is_synchronous())
    }

    /// Whether the connection is broken or stuck in a transaction.
    pub(super) fn is_spent(&mut self) -> bool {
        self.is_broken()
    }
}

/// The URI with which SQLite opens a file for reading alone.
fn read_only(path: &Path) -> Result<String, StoreError> {
    let path = std::path::absolute(path).map_err(StoreError::unavailable)?;
    let path = path.display().to_string().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Ok(format!("file:{path}?mode=ro"))
}

#[derive(QueryableByName)]
struct JournalMode {
    #[diesel(sql_type = diesel::sql_types::Text)]
    journal_mode: String,
}

/// The pause before another attempt at switching to the write-ahead log.
const SWITCH_PAUSE: Duration = Duration::from_millis(5);

/// Switches the database to a write-ahead log. SQLite's own timeout does not cover this: with several
/// connections that switch a new database at once, all but one fail immediately.
fn use_write_ahead_log(conn: &mut SqliteConnection, patience: Duration) -> Result<(), StoreError> {
    let began = Instant::now();
    loop {
        let switched = diesel::sql_query("PRAGMA journal_mode = WAL").get_result::<JournalMode>(conn);
        match switched.map_err(StoreError::from) {
            Ok(JournalMode { journal_mode }) if journal_mode == "wal" => return Ok(()),
            Ok(JournalMode { journal_mode }) => {
                return Err(StoreError::unavailable(format!(
                    "the file system does not support a write-ahead log (journal mode {journal_mode})"
                )));
            }
            Err(StoreError::Unavailable { detail })
                if detail == "database is locked" && began.elapsed() < patience =>
            {
                sleep(SWITCH_PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
}

/// One call per pragma. The busy timeout comes first, so that the others can wait for locks.
fn prepare_sqlite(conn: &mut SqliteConnection, purpose: Purpose) -> Result<(), StoreError> {
    let patience = if matches!(purpose, Purpose::Maintain | Purpose::Copy) { 30 } else { 5 };
    conn.batch_execute(&format!("PRAGMA busy_timeout = {patience}000"))?;
    if !purpose.only_reads() && purpose != Purpose::Copy {
        // Only a new database takes it. A commit writes each changed page as a whole, and it changes a page of the
        // log's index for each game: with smaller pages it writes less.
        conn.batch_execute("PRAGMA page_size = 2048")?;
        use_write_ahead_log(conn, Duration::from_secs(patience))?;
    }
    conn.batch_execute("PRAGMA synchronous = FULL")?;
    conn.batch_execute("PRAGMA foreign_keys = ON")?;
    conn.batch_execute("PRAGMA recursive_triggers = ON")?;
    conn.batch_execute("PRAGMA wal_autocheckpoint = 0")?;
    if purpose == Purpose::Write {
        // A reader that kept the log from beginning again may have made it long.
        conn.batch_execute("PRAGMA journal_size_limit = 67108864")?;
    }
    if purpose.only_reads() {
        conn.batch_execute("PRAGMA query_only = ON")?;
    }
    Ok(())
}

fn prepare_postgres(conn: &mut PgConnection, purpose: Purpose) -> Result<(), StoreError> {
    let session = match purpose {
        Purpose::Read => {
            "SET default_transaction_read_only = on; SET statement_timeout = '7s'; \
             SET idle_in_transaction_session_timeout = '30s'"
        }
        // A generic plan: planning this query would take longer than running it.
        Purpose::Heads => {
            "SET default_transaction_read_only = on; SET statement_timeout = '7s'; \
             SET idle_in_transaction_session_timeout = '30s'; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
             SET enable_bitmapscan = off; SET jit = off"
        }
        // Generic plans with index scans from the start: plans are made while the tables are small and kept
        // when they are large. Planning every batch would cost as much as running it.
        Purpose::Write => {
            "SET synchronous_commit = on; SET statement_timeout = '7s'; SET lock_timeout = '2s'; \
             SET idle_in_transaction_session_timeout = '30s'; SET enable_seqscan = off; \
             SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan; SET jit = off"
        }
        Purpose::Maintain | Purpose::Copy => "SET synchronous_commit = on",
    };
    conn.batch_execute(&format!("SET TIME ZONE 'UTC'; {session}"))?;
    Ok(())
}

/// Inserts a row unless one with the same key is there, and returns the number of inserted rows. diesel cannot express this
/// for either database.
macro_rules! insert_if_absent {
    ($conn:expr, $table:expr, $row:expr) => {{
        let insert = diesel::insert_into($table).values($row).on_conflict_do_nothing();
        match $conn {
            Connection::Sqlite(conn) => insert.execute(conn)?,
            Connection::Postgres(conn) => insert.execute(conn)?,
        }
    }};
}
pub(super) use insert_if_absent;
