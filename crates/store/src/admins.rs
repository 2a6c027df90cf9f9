//! Admins: once there is one, at least one remains.
//!
//! A grant or a deletion that looked at the admins must be written before another one looks. SQLite has one writer. On
//! PostgreSQL they take turns.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use super::role::Role;
use super::schema::accounts;
use super::{AccountId, Connection, Result, StoreError};

/// PostgreSQL's lock number: ASCII "admins".
const LOCK: i64 = 0x6164_6d69_6e73;

/// Blocks other changes of admins until the transaction ends.
pub(super) fn lock(conn: &mut Connection) -> Result<()> {
    if let Connection::Postgres(conn) = conn {
        diesel::sql_query("SELECT pg_advisory_xact_lock($1)").bind::<BigInt, _>(LOCK).execute(conn)?;
    }
    Ok(())
}

pub(super) fn is_admin(conn: &mut Connection, account: &AccountId) -> Result<bool> {
    let admin = accounts::table.find(account).filter(accounts::role.eq(Role::Admin));
    Ok(diesel::select(diesel::dsl::exists(admin)).get_result(conn)?)
}

/// Refuses to take the role from the last admin. The caller holds the lock.
pub(super) fn keep_another(conn: &mut Connection, account: &AccountId) -> Result<()> {
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
