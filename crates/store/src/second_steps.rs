//! Second steps of sign-ins, and the codes that replace a lost authenticator app.

use diesel::prelude::*;

use super::connection::insert_if_absent;
use super::schema::{second_step_codes, second_steps};
use super::{AccountId, Connection, Hash, RecordTime, Result, sessions};

/// The second step of an account.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = second_steps)]
pub struct SecondStepRow {
    pub account_id: AccountId,
    /// What the secret is derived from, under a key that is not in the database.
    pub salt: Vec<u8>,
    /// Milliseconds since 1970 in UTC; `None` until a code of the app confirmed it.
    pub confirmed_at: Option<RecordTime>,
    /// The newest time step of which a code was used.
    pub used_step: i64,
}

pub fn find(conn: &mut Connection, account: &AccountId) -> Result<Option<SecondStepRow>> {
    let query = second_steps::table.find(account).select(SecondStepRow::as_select());
    Ok(query.first(conn).optional()?)
}

/// Begins a second step, in place of one that was not confirmed. Returns false if there is a confirmed one.
pub fn begin(conn: &mut Connection, account: &AccountId, salt: &[u8]) -> Result<bool> {
    let unconfirmed = second_steps::table.find(account).filter(second_steps::confirmed_at.is_null());
    diesel::delete(unconfirmed).execute(conn)?;
    let row =
        SecondStepRow { account_id: account.clone(), salt: salt.to_vec(), confirmed_at: None, used_step: 0 };
    Ok(insert_if_absent!(conn, second_steps::table, row) == 1)
}

/// Puts a second step into force, with the codes that replace the app. Returns false if it is in force already, or has another
/// salt.
pub fn confirm(
    conn: &mut Connection,
    row: &SecondStepRow,
    step: i64,
    macs: &[Hash],
    at: i64,
) -> Result<bool> {
    let begun = second_steps::table
        .find(&row.account_id)
        .filter(second_steps::salt.eq(&row.salt))
        .filter(second_steps::confirmed_at.is_null());
    let set = (second_steps::confirmed_at.eq(at), second_steps::used_step.eq(step));
    if diesel::update(begun).set(set).execute(conn)? == 0 {
        return Ok(false);
    }
    for mac in macs {
        let row = (second_step_codes::mac.eq(&mac[..]), second_step_codes::account_id.eq(&row.account_id));
        diesel::insert_into(second_step_codes::table).values(row).execute(conn)?;
    }
    sessions::raise_authority(conn, &row.account_id)?;
    Ok(true)
}

/// Uses the code of a time step up, of the secret with a salt. Returns false if that one or a newer one was used before.
pub fn use_step(conn: &mut Connection, account: &AccountId, salt: &[u8], step: i64) -> Result<bool> {
    let fresh = second_steps::table
        .find(account)
        .filter(second_steps::salt.eq(salt))
        .filter(second_steps::confirmed_at.is_not_null())
        .filter(second_steps::used_step.lt(step));
    Ok(diesel::update(fresh).set(second_steps::used_step.eq(step)).execute(conn)? == 1)
}

/// Uses a code of an account up. Returns false if the account does not have it.
pub fn use_code(conn: &mut Connection, account: &AccountId, mac: &Hash) -> Result<bool> {
    let own = second_step_codes::table.find(&mac[..]).filter(second_step_codes::account_id.eq(account));
    Ok(diesel::delete(own).execute(conn)? == 1)
}

/// The number of codes of an account that are not used.
pub fn count_codes(conn: &mut Connection, account: &AccountId) -> Result<i64> {
    let codes = second_step_codes::table.filter(second_step_codes::account_id.eq(account));
    Ok(codes.count().get_result(conn)?)
}

/// Ends the second step of an account. Returns false if it had none in force.
pub fn remove(conn: &mut Connection, account: &AccountId) -> Result<bool> {
    let confirmed = second_steps::table.find(account).filter(second_steps::confirmed_at.is_not_null());
    let is_removed = diesel::delete(confirmed).execute(conn)? == 1;
    if is_removed {
        sessions::raise_authority(conn, account)?;
    }
    Ok(is_removed)
}
