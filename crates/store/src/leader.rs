//! Leader election for the length of a transaction, for work that only one node may do at a time.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use super::{Connection, Result};

/// Whether this transaction may do the work with this number. At most one transaction may at a time. Never
/// waits.
pub(super) fn lead(conn: &mut Connection, work: i64) -> Result<bool> {
    match conn {
        // SQLite has only one writing transaction at a time.
        Connection::Sqlite(_) => Ok(true),
        Connection::Postgres(conn) => {
            let query = diesel::dsl::sql::<Bool>("SELECT pg_try_advisory_xact_lock(")
                .bind::<BigInt, _>(work)
                .sql(")");
            Ok(query.get_result(conn)?)
        }
    }
}

/// Keeps other transactions from doing the work with this number until this transaction ends. Waits for the one that
/// does it now. Several transactions may hold the work off at a time.
pub(super) fn hold_off(conn: &mut Connection, work: i64) -> Result<()> {
    if let Connection::Postgres(conn) = conn {
        diesel::sql_query("SELECT pg_advisory_xact_lock_shared($1)").bind::<BigInt, _>(work).execute(conn)?;
    }
    Ok(())
}
