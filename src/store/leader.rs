//! Who leads: work that one node at a time may do, for as long as a transaction lasts.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use super::connection::Connection;
use super::error::StoreError;

/// Whether this transaction may do the work that a number stands for: at most one at a time may, until it
/// ends. It never waits.
pub(super) fn lead(conn: &mut Connection, work: i64) -> Result<bool, StoreError> {
    match conn {
        // A transaction that writes is the only one there is.
        Connection::Sqlite(_) => Ok(true),
        Connection::Postgres(conn) => {
            let query = diesel::dsl::sql::<Bool>("SELECT pg_try_advisory_xact_lock(")
                .bind::<BigInt, _>(work)
                .sql(")");
            Ok(query.get_result(conn)?)
        }
    }
}
