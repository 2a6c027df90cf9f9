//! Changes of the ways into accounts, which all sessions of an account may see.

use diesel::prelude::*;

use super::schema::account_changes;
use super::{AccountId, Connection, Id, RecordTime, Result};

/// A change of a way into an account.
#[derive(Clone, Debug, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = account_changes)]
pub struct AccountChangeRow {
    /// UUIDv7.
    pub id: Id,
    pub account_id: AccountId,
    /// The session that made it.
    pub session_id: Id,
    pub kind: String,
    /// Milliseconds since 1970 in UTC.
    pub changed_at: RecordTime,
}

pub fn insert(conn: &mut Connection, change: &AccountChangeRow) -> Result<()> {
    diesel::insert_into(account_changes::table).values(change).execute(conn)?;
    Ok(())
}

/// The changes of an account, newest first, at most `limit`.
pub fn of_account(conn: &mut Connection, account: &AccountId, limit: i64) -> Result<Vec<AccountChangeRow>> {
    let query = AccountChangeRow::query()
        .filter(account_changes::account_id.eq(account))
        .order(account_changes::id.desc())
        .limit(limit);
    Ok(query.load(conn)?)
}

/// Deletes the changes from before a time, and returns their number.
pub fn sweep(conn: &mut Connection, before: i64) -> Result<usize> {
    let old = account_changes::table.filter(account_changes::changed_at.lt(before));
    Ok(diesel::delete(old).execute(conn)?)
}
