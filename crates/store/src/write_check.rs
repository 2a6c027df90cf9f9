//! Checks that the database would accept a write, without changing anything.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::schema::attempts;
use super::writer::WriteRefusal;
use super::{Connection, Result, StoreError};

/// Fails at once where another session locks a table of the log.
const LOG_IS_FREE: &str = "LOCK TABLE games, game_events IN ROW EXCLUSIVE MODE NOWAIT";

/// Why the database would refuse a write. Takes part in a transaction of the writer.
///
/// # Errors
/// Where the check itself is refused.
pub(super) fn refusal(conn: &mut Connection, was_locked: bool) -> Result<Option<WriteRefusal>> {
    match conn {
        Connection::Sqlite(conn) => {
            // Deletes nothing. A read-only database refuses the statement.
            diesel::delete(attempts::table.filter(diesel::dsl::sql::<diesel::sql_types::Bool>("0")))
                .execute(conn)?;
            Ok(None)
        }
        Connection::Postgres(conn) => {
            let read_only = diesel::dsl::sql::<Text>("SELECT current_setting('transaction_read_only')");
            if read_only.get_result::<String>(conn)? == "on" {
                // As an error, so that the writer opens a new session: this one may have kept an old default.
                return Err(StoreError::ReadOnly { detail: "transactions are read-only".to_owned() });
            }
            // In a savepoint of its own, because the other units of the transaction may not need these tables.
            let free = |conn: &mut super::PgConnection| Ok(conn.batch_execute(LOG_IS_FREE)?);
            match was_locked.then(|| diesel::Connection::transaction(conn, free)) {
                Some(Err(error)) if StoreError::is_lock(&error) => Ok(Some(WriteRefusal::Locked)),
                Some(Err(error)) => Err(error),
                Some(Ok(())) | None => Ok(None),
            }
        }
    }
}
