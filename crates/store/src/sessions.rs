//! Sessions: the devices on which an account is signed in. Each is one family of refresh tokens.

use diesel::dsl::auto_type;
use diesel::prelude::*;

use super::moderation::StandingRow;
use super::role::Role;
use super::schema::{accounts, second_steps, sessions, standings};
use super::{AccountId, Connection, Id, RecordTime, Result};

/// A session. Times are milliseconds since 1970 in UTC.
#[derive(Debug, Clone, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = sessions)]
pub struct SessionRow {
    /// UUIDv7.
    pub id: Id,
    pub account_id: AccountId,
    /// The client's name for itself.
    pub device: Option<String>,
    pub created_at: RecordTime,
    /// When one of its tokens was last exchanged.
    pub last_used_at: RecordTime,
    /// When it ended; `None` while it is active.
    pub ended_at: Option<RecordTime>,
    /// The newest generation of which an access token was used; 0 also if none was.
    pub used_generation: i64,
    /// When it passed the second step; `None` for never.
    pub second_step_at: Option<RecordTime>,
}

pub fn insert(conn: &mut Connection, session: &SessionRow) -> Result<()> {
    diesel::insert_into(sessions::table).values(session).execute(conn)?;
    Ok(())
}

/// The session with this id, active or ended.
pub fn find(conn: &mut Connection, id: Id) -> Result<Option<SessionRow>> {
    Ok(sessions::table.find(id).select(SessionRow::as_select()).first(conn).optional()?)
}

/// The active sessions of an account that began after `began_after`, newest first, at most `limit`.
pub fn of_account(
    conn: &mut Connection,
    account: &AccountId,
    began_after: i64,
    limit: i64,
) -> Result<Vec<SessionRow>> {
    let query = SessionRow::query()
        .filter(sessions::account_id.eq(account))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::created_at.gt(began_after))
        .order(sessions::id.desc())
        .limit(limit);
    Ok(query.load(conn)?)
}

/// All sessions of an account, including ended ones, oldest first.
pub fn all_of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<SessionRow>> {
    let query = SessionRow::query().filter(sessions::account_id.eq(account)).order(sessions::id);
    Ok(query.load(conn)?)
}

#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct ActiveSession {
    pub id: Id,
    pub account: AccountId,
    /// The account's current role.
    pub role: Role,
    /// The newest generation of which an access token was used.
    pub used_generation: i64,
    /// When the session passed the second step; `None` for never.
    pub second_step_at: Option<RecordTime>,
    /// Raised by each change of what the session may do.
    pub authority: i64,
    /// Since when the account has a second step; `None` without one.
    pub second_step_since: Option<RecordTime>,
    /// What moderators did to the account; `None` for an account in good standing.
    pub standing: Option<StandingRow>,
}

/// Maximum number of ids per statement.
const TOGETHER: usize = 1_000;

/// The active ones among these sessions that began after `began_after`.
pub fn active(conn: &mut Connection, ids: &[Id], began_after: i64) -> Result<Vec<ActiveSession>> {
    let mut living = Vec::with_capacity(ids.len());
    for ids in ids.chunks(TOGETHER) {
        let query = sessions::table
            .inner_join(accounts::table.on(accounts::id.eq(sessions::account_id)))
            .left_join(standings::table.on(standings::account_id.eq(sessions::account_id)))
            .left_join(second_steps::table.on(second_steps::account_id.eq(sessions::account_id)))
            .filter(sessions::id.eq_any(ids))
            .filter(sessions::ended_at.is_null())
            .filter(sessions::created_at.gt(began_after))
            .select((
                sessions::id,
                sessions::account_id,
                accounts::role,
                sessions::used_generation,
                sessions::second_step_at,
                sessions::authority,
                second_steps::confirmed_at.nullable(),
                Option::<StandingRow>::as_select(),
            ));
        living.extend(query.load::<ActiveSession>(conn)?);
    }
    Ok(living)
}

/// The authority of a session; `None` if it is not active. Until the transaction ends, no other one ends the session or changes
/// what it may do.
pub fn authority(conn: &mut Connection, id: &str) -> Result<Option<i64>> {
    Ok(match conn {
        Connection::Sqlite(conn) => active_authority(id).first(conn).optional()?,
        Connection::Postgres(conn) => active_authority(id).for_share().first(conn).optional()?,
    })
}

/// Like [`authority`] for several sessions: until the transaction ends, no other one ends them or changes what they may do.
pub fn hold(conn: &mut Connection, ids: &[Id]) -> Result<()> {
    // On SQLite there is one writer.
    let Connection::Postgres(conn) = conn else { return Ok(()) };
    for ids in ids.chunks(TOGETHER) {
        let held = sessions::table.filter(sessions::id.eq_any(ids)).order(sessions::id).select(sessions::id);
        held.for_share().load::<Id>(conn)?;
    }
    Ok(())
}

#[auto_type(no_type_alias)]
pub(super) fn active_authority(id: &str) -> _ {
    sessions::table.find(id).filter(sessions::ended_at.is_null()).select(sessions::authority)
}

/// Raises the authority of an account's active sessions: what they may do has changed. Writes that were admitted before are
/// checked again.
pub(super) fn raise_authority(conn: &mut Connection, account: &AccountId) -> Result<()> {
    let active =
        sessions::table.filter(sessions::account_id.eq(account)).filter(sessions::ended_at.is_null());
    diesel::update(active).set(sessions::authority.eq(sessions::authority + 1)).execute(conn)?;
    Ok(())
}

/// Records the use of a session.
pub fn touch(conn: &mut Connection, id: Id, at: i64) -> Result<()> {
    diesel::update(sessions::table.find(id)).set(sessions::last_used_at.eq(at)).execute(conn)?;
    Ok(())
}

/// Records that an access token of this generation was used. The newest generation stays recorded.
pub fn use_generation(conn: &mut Connection, id: Id, generation: i64) -> Result<()> {
    let older = sessions::table.find(id).filter(sessions::used_generation.lt(generation));
    diesel::update(older).set(sessions::used_generation.eq(generation)).execute(conn)?;
    Ok(())
}

/// Records that a session passed the second step.
pub fn pass_second_step(conn: &mut Connection, id: Id, at: i64) -> Result<()> {
    diesel::update(sessions::table.find(id)).set(sessions::second_step_at.eq(at)).execute(conn)?;
    Ok(())
}

/// Whether a session is active, and passed the second step at or after a time.
pub fn has_passed(conn: &mut Connection, id: Id, since: i64) -> Result<bool> {
    let passed = sessions::table
        .find(id)
        .filter(sessions::ended_at.is_null())
        .filter(sessions::second_step_at.ge(since));
    Ok(diesel::select(diesel::dsl::exists(passed)).get_result(conn)?)
}

/// Forgets which sessions of an account passed the second step, when that is removed.
pub fn forget_second_step(conn: &mut Connection, account: &AccountId) -> Result<()> {
    let own = sessions::table.filter(sessions::account_id.eq(account));
    diesel::update(own).set(sessions::second_step_at.eq(None::<i64>)).execute(conn)?;
    Ok(())
}

/// Ends a session. Returns false when no active session has this id.
pub fn end(conn: &mut Connection, id: Id, at: i64) -> Result<bool> {
    let living = sessions::table.find(id).filter(sessions::ended_at.is_null());
    Ok(diesel::update(living).set(sessions::ended_at.eq(at)).execute(conn)? == 1)
}

/// Ends every active session of an account except one and returns their number.
pub fn end_others(conn: &mut Connection, account: &AccountId, but: Id, at: i64) -> Result<usize> {
    let living = sessions::table
        .filter(sessions::account_id.eq(account))
        .filter(sessions::id.ne(but))
        .filter(sessions::ended_at.is_null());
    Ok(diesel::update(living).set(sessions::ended_at.eq(at)).execute(conn)?)
}

/// Ends an account's least recently used sessions beyond `limit` and returns their ids. Never ends `new`.
pub fn end_beyond(
    conn: &mut Connection,
    account: &AccountId,
    limit: u32,
    new: Id,
    at: i64,
) -> Result<Vec<Id>> {
    let ids: Vec<Id> = sessions::table
        .filter(sessions::account_id.eq(account))
        .filter(sessions::id.ne(new))
        .filter(sessions::ended_at.is_null())
        .order((sessions::last_used_at.desc(), sessions::id.desc()))
        .offset(i64::from(limit.max(1)) - 1)
        .limit(i64::MAX)
        .select(sessions::id)
        .load(conn)?;
    for ids in ids.chunks(TOGETHER) {
        let over = sessions::table.filter(sessions::id.eq_any(ids));
        diesel::update(over).set(sessions::ended_at.eq(at)).execute(conn)?;
    }
    Ok(ids)
}

/// Ends active sessions not used since `used_before` and returns their number.
pub fn end_idle(conn: &mut Connection, used_before: i64, at: i64) -> Result<usize> {
    let idle =
        sessions::table.filter(sessions::ended_at.is_null()).filter(sessions::last_used_at.lt(used_before));
    Ok(diesel::update(idle).set(sessions::ended_at.eq(at)).execute(conn)?)
}

/// Ends active sessions that began at or before `began_by` and returns their accounts and ids.
pub fn end_old(conn: &mut Connection, began_by: i64, at: i64) -> Result<Vec<(AccountId, Id)>> {
    let old =
        || sessions::table.filter(sessions::ended_at.is_null()).filter(sessions::created_at.le(began_by));
    let ended = old().select((sessions::account_id, sessions::id)).load(conn)?;
    diesel::update(old()).set(sessions::ended_at.eq(at)).execute(conn)?;
    Ok(ended)
}

/// Ends every active session of an account and returns their number.
pub fn end_all(conn: &mut Connection, account: &AccountId, at: i64) -> Result<usize> {
    let living =
        sessions::table.filter(sessions::account_id.eq(account)).filter(sessions::ended_at.is_null());
    Ok(diesel::update(living).set(sessions::ended_at.eq(at)).execute(conn)?)
}
