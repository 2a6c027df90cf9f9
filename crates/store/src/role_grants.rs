//! The append-only record of role changes.

use diesel::prelude::*;

use super::accounts::{self, AccountChanges};
use super::role::Role;
use super::schema::role_grants;
use super::{AccountId, Connection, Id, RecordTime, Result, StoreError, admins};

/// A role change.
#[derive(Debug, Clone, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = role_grants)]
pub struct RoleGrant {
    pub id: Id,
    pub account_id: AccountId,
    pub role: Role,
    /// The previous role.
    pub former_role: Role,
    /// The admin's account; `None` for the command line.
    pub granted_by: Option<AccountId>,
    pub created_at: RecordTime,
}

/// Changes an account's role and records the change in one unit of work.
///
/// # Errors
/// [`StoreError::NotFound`] when there is no such account, [`StoreError::NotAdmin`] when `granted_by` is no admin,
/// [`StoreError::LastAdmin`] when no admin would remain.
pub fn grant(
    conn: &mut Connection,
    id: Id,
    account: &AccountId,
    role: Role,
    granted_by: Option<&AccountId>,
    at: RecordTime,
) -> Result<RoleGrant> {
    admins::lock(conn)?;
    if let Some(admin) = granted_by
        && !admins::is_admin(conn, admin)?
    {
        return Err(StoreError::NotAdmin { account: admin.clone() });
    }
    let former = accounts::find(conn, account)?.ok_or(StoreError::NotFound)?.role;
    if role != Role::Admin {
        admins::keep_another(conn, account)?;
    }
    let changes =
        AccountChanges { role: Some(role), updated_at: at.milliseconds(), ..AccountChanges::default() };
    accounts::update(conn, account, &changes)?;
    let grant = RoleGrant {
        id,
        account_id: account.clone(),
        role,
        former_role: former,
        granted_by: granted_by.cloned(),
        created_at: at,
    };
    diesel::insert_into(role_grants::table).values(&grant).execute(conn)?;
    Ok(grant)
}

/// All role changes, by account. For audits.
pub fn all(conn: &mut Connection) -> Result<Vec<RoleGrant>> {
    Ok(RoleGrant::query().order((role_grants::account_id, role_grants::id)).load(conn)?)
}

/// The newest role changes of an account, newest first, at most `limit`.
pub fn newest_of(conn: &mut Connection, account: &AccountId, limit: i64) -> Result<Vec<RoleGrant>> {
    let query = RoleGrant::query()
        .filter(role_grants::account_id.eq(account))
        .order(role_grants::id.desc())
        .limit(limit);
    Ok(query.load(conn)?)
}

/// The role changes of an account, oldest first.
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<RoleGrant>> {
    let query = RoleGrant::query().filter(role_grants::account_id.eq(account)).order(role_grants::id);
    Ok(query.load(conn)?)
}
