//! The standbys of a PostgreSQL server.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};

use super::{Connection, Result};

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

const QUERY: &str = "SELECT count(*) AS count, \
     (max(CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn) END))::BIGINT AS lag \
     FROM pg_stat_replication";

/// The standbys of the server that is connected; none on SQLite.
///
/// # Errors
/// A database error.
pub fn standbys(conn: &mut Connection) -> Result<Option<Standbys>> {
    match conn {
        Connection::Sqlite(_) => Ok(None),
        Connection::Postgres(conn) => Ok(Some(diesel::sql_query(QUERY).get_result(conn)?)),
    }
}
