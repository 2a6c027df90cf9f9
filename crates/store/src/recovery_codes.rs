//! Recovery codes, stored as keyed hashes: each signs in once.

use diesel::prelude::*;

use super::schema::recovery_codes;
use super::{AccountId, Connection, Hash, Result};

/// Replaces the codes of an account.
pub fn replace(conn: &mut Connection, account: &AccountId, macs: &[Hash], at: i64) -> Result<()> {
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
pub fn find(conn: &mut Connection, mac: &Hash) -> Result<Option<AccountId>> {
    let code = recovery_codes::table.find(&mac[..]).select(recovery_codes::account_id);
    Ok(code.first(conn).optional()?)
}

/// Uses a code up. Returns false if it is not there any more: of two that use it, one gets true.
pub fn redeem(conn: &mut Connection, mac: &Hash) -> Result<bool> {
    Ok(diesel::delete(recovery_codes::table.find(&mac[..])).execute(conn)? == 1)
}

/// The number of codes of an account.
pub fn count(conn: &mut Connection, account: &AccountId) -> Result<i64> {
    let codes = recovery_codes::table.filter(recovery_codes::account_id.eq(account));
    Ok(codes.count().get_result(conn)?)
}
