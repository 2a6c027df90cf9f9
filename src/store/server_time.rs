//! The time by the database server's clock.

use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::connection::Connection;
use super::error::StoreError;

#[derive(QueryableByName)]
struct Now {
    #[diesel(sql_type = BigInt)]
    microseconds: i64,
}

/// The time by the server's clock, in microseconds since 1970; none on SQLite, which has no clock of its own.
///
/// # Errors
/// What reading met.
pub fn server_time(conn: &mut Connection) -> Result<Option<i64>, StoreError> {
    let Connection::Postgres(conn) = conn else { return Ok(None) };
    let query = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS microseconds";
    let now: Now = diesel::sql_query(query).get_result(conn)?;
    Ok(Some(now.microseconds))
}
