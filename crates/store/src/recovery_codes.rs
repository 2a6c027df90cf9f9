//! Recovery codes, stored as keyed hashes: each signs in once.

use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::hash::Hash;
use super::schema::recovery_codes;
use estimation_engine::player::AccountId;

/// Replaces the codes of an account.
pub fn replace(conn: &mut Connection, account: &AccountId, macs: &[Hash], at: i64) -> Result<(), StoreError> {
    let former = recovery_codes::table.filter(recovery_codes::account_id.eq(account));
    diesel::delete(former).execute(conn)?;
    for mac in macs {
        diesel::insert_into(recovery_codes::table)
            .values((
                recovery_codes::mac.eq(&mac[..]),
                recovery_codes::account_id.eq(account),
                recovery_codes::created_at.eq(at),
            ))
            .execute(conn)?;
    }
    Ok(())
}

/// The account of a code.
pub fn find(conn: &mut Connection, mac: &Hash) -> Result<Option<AccountId>, StoreError> {
    let code = recovery_codes::table.find(&mac[..]).select(recovery_codes::account_id);
    Ok(code.first(conn).optional()?)
}

/// Uses a code up. Returns false if it is not there any more: of two that use it, one gets true.
pub fn redeem(conn: &mut Connection, mac: &Hash) -> Result<bool, StoreError> {
    Ok(diesel::delete(recovery_codes::table.find(&mac[..])).execute(conn)? == 1)
}

/// The number of codes of an account.
pub fn count(conn: &mut Connection, account: &AccountId) -> Result<i64, StoreError> {
    let codes = recovery_codes::table.filter(recovery_codes::account_id.eq(account));
    Ok(codes.count().get_result(conn)?)
}
