//! The clock of the database server.

use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::{Connection, Result};

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
