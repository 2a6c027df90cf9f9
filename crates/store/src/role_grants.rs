//! The append-only record of role changes.

use diesel::prelude::*;

use super::accounts::{self, AccountChanges};
use super::schema::role_grants;
use super::{AccountId, Connection, Result, StoreError, admins};

/// A role change. Times are milliseconds since 1970 in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = role_grants)]
pub struct RoleGrant {
    /// UUIDv7.
    pub id: String,
    pub account_id: AccountId,
    pub role: String,
    /// The previous role.
    pub former_role: String,
    /// The admin's account; `None` for the command line.
    pub granted_by: Option<AccountId>,
    pub created_at: i64,
}

/// Changes an account's role and records the change in one unit of work.
///
/// # Errors
/// [`StoreError::NotFound`] when there is no such account, [`StoreError::NotAdmin`] when `granted_by` is no admin,
/// [`StoreError::LastAdmin`] when no admin would remain.
pub fn grant(
    conn: &mut Connection,
    id: &str,
    account: &AccountId,
    role: &str,
    granted_by: Option<&AccountId>,
    at: i64,
) -> Result<RoleGrant> {
    admins::lock(conn)?;
    if let Some(admin) = granted_by
        && !admins::is_admin(conn, admin)?
    {
        return Err(StoreError::NotAdmin { account: admin.clone() });
    }
    let former = accounts::find(conn, account)?.ok_or(StoreError::NotFound)?.role;
    if role != admins::ADMIN {
        admins::keep_another(conn, account)?;
    }
    let changes = AccountChanges { role: Some(role.to_owned()), updated_at: at, ..AccountChanges::default() };
    accounts::update(conn, account, &changes)?;
    let grant = RoleGrant {
        id: id.to_owned(),
        account_id: account.clone(),
        role: role.to_owned(),
        former_role: former,
        granted_by: granted_by.cloned(),
        created_at: at,
    };
    diesel::insert_into(role_grants::table).values(&grant).execute(conn)?;
    Ok(grant)
}

/// All role changes, by account. For audits.
pub fn all(conn: &mut Connection) -> Result<Vec<RoleGrant>> {
    let query =
        role_grants::table.order((role_grants::account_id, role_grants::id)).select(RoleGrant::as_select());
    Ok(query.load(conn)?)
}

/// The newest role changes of an account, newest first, at most `limit`.
pub fn newest_of(conn: &mut Connection, account: &AccountId, limit: i64) -> Result<Vec<RoleGrant>> {
    let query = role_grants::table
        .filter(role_grants::account_id.eq(account))
        .order(role_grants::id.desc())
        .limit(limit)
        .select(RoleGrant::as_select());
    Ok(query.load(conn)?)
}

/// The role changes of an account, oldest first.
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<RoleGrant>> {
    let query = role_grants::table
        .filter(role_grants::account_id.eq(account))
        .order(role_grants::id)
        .select(RoleGrant::as_select());
    Ok(query.load(conn)?)
}
