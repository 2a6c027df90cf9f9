//! One connection to either database, and how each kind of it is set up.
//!
//! The only place that opens connections. Callers write their queries once against [`Connection`]; what
//! the two backends say differently is matched on here and in the other files of `store`, nowhere else.

use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::r2d2::R2D2Connection;
use diesel::{Connection as _, QueryableByName, RunQueryDsl, SqliteConnection};

use super::error::StoreError;
use super::postgres::{PgConnection, ServerId};
use super::url::DatabaseUrl;

pub use multi::AnyConnection as Connection;

#[allow(missing_docs, reason = "diesel generates the backend's types")]
mod multi {
    use crate::store::postgres::PgConnection;
    use diesel::SqliteConnection;

    /// A connection to SQLite or to PostgreSQL. Made by `store` alone.
    #[derive(diesel::MultiConnection)]
    pub enum AnyConnection {
        /// The embedded default.
        Sqlite(SqliteConnection),
        /// For more than one machine.
        Postgres(PgConnection),
    }
}

/// Makes SQLite open its files, which it does not do before the first read.
pub(super) const OPEN_FILES: &str = "SELECT 1 FROM sqlite_schema LIMIT 1";

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Queries only; the database itself refuses anything else.
    Read,
    /// Reading where logs end, and nothing else: always the same query, many times a second.
    Heads,
    /// The writer thread: durable commits, no checkpoints of its own.
    Write,
    /// Migrations and checkpoints.
    Maintain,
    /// Reading all of an SQLite database into another file, which it would not do where writing is refused.
    Copy,
}

impl Purpose {
    /// Whether the database itself is to refuse anything but queries.
    fn only_reads(self) -> bool {
        matches!(self, Purpose::Read | Purpose::Heads)
    }

    /// How long PostgreSQL may take to answer a call before the connection is given up. Statements of readers
    /// and of the writer are cancelled by the server before that, if it can.
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
                // A name like "file:x" would be read as a URI by SQLite, and options in it obeyed.
                let name = if path.is_absolute() {
                    path.display().to_string()
                } else {
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

    /// Opens a connection that only reads, past the pool and without bringing the schema up to date: for
    /// looking at a database from outside.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it cannot be reached.
    pub fn inspect(url: &DatabaseUrl) -> Result<Self, StoreError> {
        match url {
            DatabaseUrl::Sqlite(path) if !path.exists() => {
                Err(StoreError::unavailable(format!("there is no {}", path.display())))
            }
            _ => Self::open(url, Purpose::Read),
        }
    }

    /// Runs several reads that all see the database as it is at one moment.
    ///
    /// # Errors
    /// What the closure returns, or what reading met.
    pub fn at_one_moment<T, E: From<StoreError>>(
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

    /// The database's own time in its words, in milliseconds since 1970.
    pub(super) fn clock(&self) -> &'static str {
        match self {
            Connection::Sqlite(_) => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
            Connection::Postgres(_) => "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
        }
    }

    /// The database's own time, in milliseconds since 1970.
    pub(super) fn now(&mut self) -> Result<i64, StoreError> {
        Ok(diesel::select(diesel::dsl::sql::<diesel::sql_types::BigInt>(self.clock())).get_result(self)?)
    }

    /// The PostgreSQL server at the other end. None on SQLite.
    pub(super) fn server(&self) -> Option<&ServerId> {
        match self {
            Connection::Sqlite(_) => None,
            Connection::Postgres(conn) => Some(conn.server()),
        }
    }

    /// Whether commits wait for standbys, as of the opening of the connection.
    pub(super) fn is_synchronous(&self) -> bool {
        matches!(self, Connection::Postgres(conn) if conn.is_synchronous())
    }

    /// Whether the connection can no longer be used, or is stuck inside a transaction.
    pub(super) fn is_spent(&mut self) -> bool {
        self.is_broken()
    }
}

#[derive(QueryableByName)]
struct JournalMode {
    #[diesel(sql_type = diesel::sql_types::Text)]
    journal_mode: String,
}

/// Each pragma in a call of its own, the busy timeout first so that the others may wait.
fn prepare_sqlite(conn: &mut SqliteConnection, purpose: Purpose) -> Result<(), StoreError> {
    let patience = if matches!(purpose, Purpose::Maintain | Purpose::Copy) { 30_000 } else { 5_000 };
    conn.batch_execute(&format!("PRAGMA busy_timeout = {patience}"))?;
    if !purpose.only_reads() && purpose != Purpose::Copy {
        let mode: JournalMode = diesel::sql_query("PRAGMA journal_mode = WAL").get_result(conn)?;
        if mode.journal_mode != "wal" {
            return Err(StoreError::unavailable(format!(
                "the file system gives no write-ahead log (journal mode {})",
                mode.journal_mode
            )));
        }
    }
    conn.batch_execute("PRAGMA synchronous = FULL")?;
    conn.batch_execute("PRAGMA foreign_keys = ON")?;
    conn.batch_execute("PRAGMA recursive_triggers = ON")?;
    conn.batch_execute("PRAGMA wal_autocheckpoint = 0")?;
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
        // What is asked is never planned twice: that would take longer than the answer.
        Purpose::Heads => {
            "SET default_transaction_read_only = on; SET statement_timeout = '7s'; \
             SET idle_in_transaction_session_timeout = '30s'; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
             SET enable_bitmapscan = off; SET jit = off"
        }
        // Plans are made while the tables are small and kept when they are large: index scans at once. Making
        // them anew for each batch would cost as much as carrying them out.
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
