//! Which PostgreSQL cluster, which of its timelines and which database a connection is to.

use std::fmt;
use std::str::FromStr;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

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

const QUERY: &str = "SELECT (SELECT system_identifier::TEXT FROM pg_control_system()) AS system, \
     CASE WHEN pg_is_in_recovery() THEN NULL ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline, \
     (SELECT oid::BIGINT FROM pg_database WHERE datname = current_database()) AS database";

/// The PostgreSQL database of a connection; none on SQLite.
///
/// # Errors
/// A database error.
pub fn postgres_server(conn: &mut Connection) -> Result<Option<PostgresServer>> {
    let Connection::Postgres(conn) = conn else { return Ok(None) };
    let Row { system, timeline, database } = diesel::sql_query(QUERY).get_result(conn)?;
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
