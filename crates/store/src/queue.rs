//! Queues that nodes share, in tables. A node takes a row by moving the time of its next attempt, and deletes it at the end.

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
