//! Sessions: the devices an account is signed in on. Each is one family of refresh tokens.

use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::schema::sessions;

/// A session. Times are milliseconds since 1970 in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = sessions)]
pub struct SessionRow {
    /// UUIDv7.
    pub id: String,
    /// Whose it is.
    pub account_id: String,
    /// What the client calls itself.
    pub device: Option<String>,
    /// When it began.
    pub created_at: i64,
    /// When a token of it was last exchanged.
    pub last_used_at: i64,
    /// When it was ended; `None` while it lives.
    pub ended_at: Option<i64>,
}

/// Keeps a new session.
///
/// # Errors
/// What writing met.
pub fn insert(conn: &mut Connection, session: &SessionRow) -> Result<(), StoreError> {
    diesel::insert_into(sessions::table).values(session).execute(conn)?;
    Ok(())
}

/// The session with this id, ended or not.
///
/// # Errors
/// What reading met.
pub fn find(conn: &mut Connection, id: &str) -> Result<Option<SessionRow>, StoreError> {
    Ok(sessions::table.find(id).select(SessionRow::as_select()).first(conn).optional()?)
}

/// The living sessions of an account, newest first.
///
/// # Errors
/// What reading met.
pub fn of_account(conn: &mut Connection, account: &str) -> Result<Vec<SessionRow>, StoreError> {
    let query = sessions::table
        .filter(sessions::account_id.eq(account))
        .filter(sessions::ended_at.is_null())
        .order(sessions::id.desc())
        .select(SessionRow::as_select());
    Ok(query.load(conn)?)
}

/// Notes that a session was used.
///
/// # Errors
/// What writing met.
pub fn touch(conn: &mut Connection, id: &str, at: i64) -> Result<(), StoreError> {
    diesel::update(sessions::table.find(id)).set(sessions::last_used_at.eq(at)).execute(conn)?;
    Ok(())
}

/// Ends a session; false when there is no living one with this id.
///
/// # Errors
/// What writing met.
pub fn end(conn: &mut Connection, id: &str, at: i64) -> Result<bool, StoreError> {
    let living = sessions::table.find(id).filter(sessions::ended_at.is_null());
    Ok(diesel::update(living).set(sessions::ended_at.eq(at)).execute(conn)? == 1)
}

/// Ends every living session of an account and returns how many there were.
///
/// # Errors
/// What writing met.
pub fn end_all(conn: &mut Connection, account: &str, at: i64) -> Result<usize, StoreError> {
    let living =
        sessions::table.filter(sessions::account_id.eq(account)).filter(sessions::ended_at.is_null());
    Ok(diesel::update(living).set(sessions::ended_at.eq(at)).execute(conn)?)
}
