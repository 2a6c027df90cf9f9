//! What a PostgreSQL server is set to, as far as it matters to a node.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};

use super::{Connection, Result};

/// The connections that a node opens at most: for reads, heads, writes and notices, and one to look up a lost commit.
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
    pub most_connections: i64,
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

const QUERY: &str = "SELECT current_setting('server_version_num')::BIGINT AS version, \
     coalesce(host(inet_server_addr()) NOT IN ('127.0.0.1', '::1'), false) AS is_remote, \
     coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS is_encrypted, \
     current_setting('max_connections')::BIGINT - current_setting('superuser_reserved_connections')::BIGINT \
         AS most_connections, \
     (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections, \
     pg_is_in_recovery() AS is_in_recovery, \
     current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AS is_durable, \
     current_setting('synchronous_standby_names') AS synchronous_standbys, \
     current_setting('archive_mode') <> 'off' AS is_archived, \
     (SELECT coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) FROM pg_stat_archiver) \
         AS archiving_fails";

#[derive(QueryableByName)]
struct Replayed {
    #[diesel(sql_type = diesel::sql_types::Nullable<BigInt>)]
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
    let row: Replayed = diesel::sql_query(query).get_result(conn)?;
    Ok(row.until)
}

/// The settings of the server of a connection; none on SQLite.
///
/// # Errors
/// A database error.
pub fn server_settings(conn: &mut Connection) -> Result<Option<ServerSettings>> {
    match conn {
        Connection::Sqlite(_) => Ok(None),
        Connection::Postgres(conn) => Ok(Some(diesel::sql_query(QUERY).get_result(conn)?)),
    }
}
