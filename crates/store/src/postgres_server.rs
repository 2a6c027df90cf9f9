//! The PostgreSQL server of a connection: which cluster, timeline and database it is, its clock, its standbys and settings.

use std::fmt;
use std::str::FromStr;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

use super::{Connection, Result, StoreError};

/// A database of a PostgreSQL cluster. As text: the three numbers, separated by spaces.
///
/// A restored backup has another one: a restore to a point in time begins a timeline, and so does the promotion of a
/// standby; `pg_restore` fills a new database. A copy of the cluster's files has the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresServer {
    /// The system identifier of the cluster.
    pub system: String,
    /// The timeline; 0 while the server is in recovery, as a standby is.
    pub timeline: u32,
    /// The number (OID) of the database.
    pub database: i64,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    system: String,
    #[diesel(sql_type = Nullable<Text>)]
    timeline: Option<String>,
    #[diesel(sql_type = BigInt)]
    database: i64,
}

const IDENTITY: &str = "SELECT (SELECT system_identifier::TEXT FROM pg_control_system()) AS system, \
     CASE WHEN pg_is_in_recovery() THEN NULL ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline, \
     (SELECT oid::BIGINT FROM pg_database WHERE datname = current_database()) AS database";

/// The PostgreSQL database of a connection; none on SQLite.
///
/// # Errors
/// A database error.
pub fn postgres_server(conn: &mut Connection) -> Result<Option<PostgresServer>> {
    let Connection::Postgres(conn) = conn else { return Ok(None) };
    let Row { system, timeline, database } = diesel::sql_query(IDENTITY).get_result(conn)?;
    let timeline = match timeline {
        None => 0,
        Some(digits) => u32::from_str_radix(&digits, 16)
            .map_err(|error| StoreError::Corrupt { detail: format!("the timeline {digits:?}: {error}") })?,
    };
    Ok(Some(PostgresServer { system, timeline, database }))
}

impl fmt::Display for PostgresServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.system, self.timeline, self.database)
    }
}

impl FromStr for PostgresServer {
    type Err = ();

    fn from_str(text: &str) -> Result<PostgresServer, ()> {
        let mut parts = text.split(' ');
        let (Some(system), Some(timeline), Some(database), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(());
        };
        let (timeline, database) = (timeline.parse().map_err(drop)?, database.parse().map_err(drop)?);
        Ok(PostgresServer { system: system.to_owned(), timeline, database })
    }
}

#[derive(QueryableByName)]
struct Now {
    #[diesel(sql_type = BigInt)]
    microseconds: i64,
}

/// The server's time in microseconds since 1970; `None` on SQLite, which has no server.
pub fn server_time(conn: &mut Connection) -> Result<Option<i64>> {
    let Connection::Postgres(conn) = conn else { return Ok(None) };
    let query = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS microseconds";
    let now: Now = diesel::sql_query(query).get_result(conn)?;
    Ok(Some(now.microseconds))
}

/// The standbys that are connected to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, QueryableByName)]
pub struct Standbys {
    #[diesel(sql_type = BigInt)]
    pub count: i64,
    /// How many bytes of the log the one that is furthest behind has not written to its disk. None without standbys,
    /// and for a role without `pg_monitor`.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub lag: Option<i64>,
}

const STANDBYS: &str = "SELECT count(*) AS count, \
     (max(CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn) END))::BIGINT AS lag \
     FROM pg_stat_replication";

/// The standbys of the server that is connected; none on SQLite.
///
/// # Errors
/// A database error.
pub fn standbys(conn: &mut Connection) -> Result<Option<Standbys>> {
    match conn {
        Connection::Sqlite(_) => Ok(None),
        Connection::Postgres(conn) => Ok(Some(diesel::sql_query(STANDBYS).get_result(conn)?)),
    }
}

/// The connections that a node opens at most: for reads, heads, writes and messages, and one to look up a lost commit.
pub const NODE_CONNECTIONS: i64 = 12;

/// Settings and the state of a PostgreSQL server.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct ServerSettings {
    /// As in 150004 for 15.4.
    #[diesel(sql_type = BigInt)]
    pub version: i64,
    /// Whether this connection comes from another machine.
    #[diesel(sql_type = Bool)]
    pub is_remote: bool,
    /// Whether this connection is encrypted.
    #[diesel(sql_type = Bool)]
    pub is_encrypted: bool,
    /// The connections that the server accepts from roles that are no superusers.
    #[diesel(sql_type = BigInt)]
    pub max_connections: i64,
    /// The connections that are open now, this one included.
    #[diesel(sql_type = BigInt)]
    pub connections: i64,
    /// Whether the server only reads: a standby, or a restore that is not over.
    #[diesel(sql_type = Bool)]
    pub is_in_recovery: bool,
    /// Whether commits reach the disk (`fsync` and `full_page_writes`).
    #[diesel(sql_type = Bool)]
    pub is_durable: bool,
    /// `synchronous_standby_names`; empty if commits wait for no standby.
    #[diesel(sql_type = Text)]
    pub synchronous_standbys: String,
    /// Whether the write-ahead log is archived, for restores to a point in time.
    #[diesel(sql_type = Bool)]
    pub is_archived: bool,
    /// Whether the last attempt to archive failed.
    #[diesel(sql_type = Bool)]
    pub archiving_fails: bool,
}

const SETTINGS: &str = "SELECT current_setting('server_version_num')::BIGINT AS version, \
     coalesce(host(inet_server_addr()) NOT IN ('127.0.0.1', '::1'), false) AS is_remote, \
     coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS is_encrypted, \
     current_setting('max_connections')::BIGINT - current_setting('superuser_reserved_connections')::BIGINT \
         AS max_connections, \
     (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections, \
     pg_is_in_recovery() AS is_in_recovery, \
     current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AS is_durable, \
     current_setting('synchronous_standby_names') AS synchronous_standbys, \
     current_setting('archive_mode') <> 'off' AS is_archived, \
     (SELECT coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) FROM pg_stat_archiver) \
         AS archiving_fails";

#[derive(QueryableByName)]
struct ReplayRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    until: Option<i64>,
}

/// The time of the last transaction that a recovery restored, in milliseconds since 1970 in UTC; none on SQLite, and if
/// there was no recovery.
///
/// # Errors
/// A database error.
pub fn replayed_until(conn: &mut Connection) -> Result<Option<i64>> {
    let Connection::Postgres(conn) = conn else { return Ok(None) };
    let query = "SELECT (extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000)::BIGINT AS until";
    let row: ReplayRow = diesel::sql_query(query).get_result(conn)?;
    Ok(row.until)
}

/// The settings of the server of a connection; none on SQLite.
///
/// # Errors
/// A database error.
pub fn server_settings(conn: &mut Connection) -> Result<Option<ServerSettings>> {
    match conn {
        Connection::Sqlite(_) => Ok(None),
        Connection::Postgres(conn) => Ok(Some(diesel::sql_query(SETTINGS).get_result(conn)?)),
    }
}
