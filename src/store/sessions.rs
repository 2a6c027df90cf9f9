//! Sessions: the devices an account is signed in on. Each is one family of refresh tokens.

use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::schema::{accounts, sessions};

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

/// The living sessions of an account that began after a moment, newest first, at most `limit`.
///
/// # Errors
/// What reading met.
pub fn of_account(
    conn: &mut Connection,
    account: &str,
    began_after: i64,
    limit: i64,
) -> Result<Vec<SessionRow>, StoreError> {
    let query = sessions::table
        .filter(sessions::account_id.eq(account))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::created_at.gt(began_after))
        .order(sessions::id.desc())
        .limit(limit)
        .select(SessionRow::as_select());
    Ok(query.load(conn)?)
}

/// Every session of an account, ended ones included, oldest first.
///
/// # Errors
/// What reading met.
pub fn all_of_account(conn: &mut Connection, account: &str) -> Result<Vec<SessionRow>, StoreError> {
    let query = sessions::table
        .filter(sessions::account_id.eq(account))
        .order(sessions::id)
        .select(SessionRow::as_select());
    Ok(query.load(conn)?)
}

/// A session that lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LivingSession {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub account: String,
    /// The role of its account at present.
    pub role: String,
}

/// How many ids are asked for in one statement.
const TOGETHER: usize = 1_000;

/// Those of several sessions that live and began after a moment.
///
/// # Errors
/// What reading met.
pub fn living(
    conn: &mut Connection,
    ids: &[String],
    began_after: i64,
) -> Result<Vec<LivingSession>, StoreError> {
    let mut living = Vec::with_capacity(ids.len());
    for ids in ids.chunks(TOGETHER) {
        let query = sessions::table
            .inner_join(accounts::table.on(accounts::id.eq(sessions::account_id)))
            .filter(sessions::id.eq_any(ids))
            .filter(sessions::ended_at.is_null())
            .filter(sessions::created_at.gt(began_after))
            .select((sessions::id, sessions::account_id, accounts::role));
        let rows: Vec<(String, String, String)> = query.load(conn)?;
        living.extend(rows.into_iter().map(|(id, account, role)| LivingSession { id, account, role }));
    }
    Ok(living)
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

/// Ends every living session of an account but one, and returns how many there were.
///
/// # Errors
/// What writing met.
pub fn end_others(conn: &mut Connection, account: &str, but: &str, at: i64) -> Result<usize, StoreError> {
    let living = sessions::table
        .filter(sessions::account_id.eq(account))
        .filter(sessions::id.ne(but))
        .filter(sessions::ended_at.is_null());
    Ok(diesel::update(living).set(sessions::ended_at.eq(at)).execute(conn)?)
}

/// Ends the living sessions of an account beyond a number, those unused longest, and returns their ids. `new` is
/// kept in any case.
///
/// # Errors
/// What writing met.
pub fn end_beyond(
    conn: &mut Connection,
    account: &str,
    most: u32,
    new: &str,
    at: i64,
) -> Result<Vec<String>, StoreError> {
    let ids: Vec<String> = sessions::table
        .filter(sessions::account_id.eq(account))
        .filter(sessions::id.ne(new))
        .filter(sessions::ended_at.is_null())
        .order((sessions::last_used_at.desc(), sessions::id.desc()))
        .offset(i64::from(most.max(1)) - 1)
        .limit(i64::MAX)
        .select(sessions::id)
        .load(conn)?;
    for ids in ids.chunks(TOGETHER) {
        let over = sessions::table.filter(sessions::id.eq_any(ids));
        diesel::update(over).set(sessions::ended_at.eq(at)).execute(conn)?;
    }
    Ok(ids)
}

/// Ends living sessions that were last used before a moment, and returns how many there were.
///
/// # Errors
/// What writing met.
pub fn end_idle(conn: &mut Connection, used_before: i64, at: i64) -> Result<usize, StoreError> {
    let idle =
        sessions::table.filter(sessions::ended_at.is_null()).filter(sessions::last_used_at.lt(used_before));
    Ok(diesel::update(idle).set(sessions::ended_at.eq(at)).execute(conn)?)
}

/// Ends living sessions that began at a moment or before, and returns their accounts and ids.
///
/// # Errors
/// What writing met.
pub fn end_old(conn: &mut Connection, began_by: i64, at: i64) -> Result<Vec<(String, String)>, StoreError> {
    let old =
        || sessions::table.filter(sessions::ended_at.is_null()).filter(sessions::created_at.le(began_by));
    let ended = old().select((sessions::account_id, sessions::id)).load(conn)?;
    diesel::update(old()).set(sessions::ended_at.eq(at)).execute(conn)?;
    Ok(ended)
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
