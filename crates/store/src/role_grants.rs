//! The append-only record of role changes. Once there is an admin, at least one remains.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use super::accounts::{self, AccountChanges};
use super::role::Role;
use super::schema::{self, role_grants};
use super::{AccountId, Connection, Id, RecordTime, Result, StoreError};

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
    lock_admins(conn)?;
    if let Some(admin) = granted_by
        && !is_admin(conn, admin)?
    {
        return Err(StoreError::NotAdmin { account: admin.clone() });
    }
    let former = accounts::find(conn, account)?.ok_or(StoreError::NotFound)?.role;
    if role != Role::Admin {
        keep_another_admin(conn, account)?;
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

/// PostgreSQL's lock number: ASCII "admins".
const LOCK: i64 = 0x6164_6d69_6e73;

/// Blocks other changes of admins until the transaction ends: a grant or a deletion that looked at the admins must be written
/// before another one looks. SQLite has one writer. On PostgreSQL they take turns.
pub(super) fn lock_admins(conn: &mut Connection) -> Result<()> {
    if let Connection::Postgres(conn) = conn {
        diesel::sql_query("SELECT pg_advisory_xact_lock($1)").bind::<BigInt, _>(LOCK).execute(conn)?;
    }
    Ok(())
}

fn is_admin(conn: &mut Connection, account: &AccountId) -> Result<bool> {
    use schema::accounts;
    let admin = accounts::table.find(account).filter(accounts::role.eq(Role::Admin));
    Ok(diesel::select(diesel::dsl::exists(admin)).get_result(conn)?)
}

/// Refuses to take the role from the last admin. The caller holds the lock.
pub(super) fn keep_another_admin(conn: &mut Connection, account: &AccountId) -> Result<()> {
    use schema::accounts;
    if !is_admin(conn, account)? {
        return Ok(());
    }
    // A literal, so that both databases use the index of the admins.
    let others = accounts::table.filter(sql::<Bool>("role = 'admin'")).filter(accounts::id.ne(account));
    if diesel::select(diesel::dsl::exists(others)).get_result(conn)? {
        Ok(())
    } else {
        Err(StoreError::LastAdmin)
    }
}
