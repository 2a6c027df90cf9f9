//! Work that nodes share: leader election for the length of a transaction, for work that only one node may do at a time, and
//! queues in tables. A node takes a row of a queue by moving the time of its next attempt, and deletes it at the end.

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

/// Declares the functions of a queue, whose table has the columns `id` and `next_at`.
macro_rules! queue {
    ($table:ident, $row:ident: $any_due:ident, $take:ident, $retry:ident, $end:ident) => {
        /// Whether a row may be due: a read that keeps the writer free.
        pub fn $any_due(conn: &mut Connection, now: i64) -> Result<bool> {
            let due = $table::table.filter($table::next_at.le(now));
            Ok(diesel::select(diesel::dsl::exists(due)).get_result(conn)?)
        }

        /// Takes a row that is due. No other node gets it before `until`. None if nothing is due, or another node took it.
        pub fn $take(conn: &mut Connection, now: i64, until: i64) -> Result<Option<$row>> {
            let due: Option<$row> = $row::query()
                .filter($table::next_at.le(now))
                .order(($table::next_at, $table::id))
                .first(conn)
                .optional()?;
            let Some(row) = due else { return Ok(None) };
            let free = $table::table.find(row.id).filter($table::next_at.le(now));
            let is_ours = diesel::update(free).set($table::next_at.eq(until)).execute(conn)? == 1;
            Ok(is_ours.then_some(row))
        }

        /// Tries a row again at a time.
        pub fn $retry(conn: &mut Connection, id: Id, at: i64) -> Result<()> {
            diesel::update($table::table.find(id)).set($table::next_at.eq(at)).execute(conn)?;
            Ok(())
        }

        /// Deletes a row that is done, or is given up.
        pub fn $end(conn: &mut Connection, id: Id) -> Result<()> {
            diesel::delete($table::table.find(id)).execute(conn)?;
            Ok(())
        }
    };
}
pub(super) use queue;
