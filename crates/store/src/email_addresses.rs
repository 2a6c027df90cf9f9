//! Verified email addresses, and the links by which they are verified and lead back into accounts.

use diesel::prelude::*;

use super::columns::text_enums;
use super::schema::{email_addresses, email_links};
use super::{AccountId, Connection, Hash, Id, RecordTime, Result};

estimation_engine::choices! {
    /// What the link of a mail is for.
    pub enum Purpose {
        /// Verifies an address.
        Verify = "verify",
        /// A way back that the player asked for.
        Reset = "reset",
        /// A way back that a moderator gave to the player.
        Access = "access",
        /// Stops that way back.
        Stop = "stop",
        /// Shows the export of the account.
        Export = "export",
    }
}

text_enums!(Purpose);

/// A verified address. Times are milliseconds since 1970 in UTC.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = email_addresses)]
pub struct EmailAddressRow {
    pub account_id: AccountId,
    pub address: String,
    /// In lower case.
    pub address_key: String,
    pub verified_at: RecordTime,
}

/// A link of a mail.
#[derive(Clone, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = email_links)]
pub struct EmailLinkRow {
    /// SHA-256 of the token.
    pub hash: Vec<u8>,
    pub account_id: AccountId,
    pub purpose: Purpose,
    /// The address to verify; `None` for others.
    pub address: Option<String>,
    /// The session that asked; `None` for others.
    pub session_id: Option<Id>,
    /// Before this it does not work yet.
    pub works_at: RecordTime,
    pub expires_at: RecordTime,
}

impl EmailLinkRow {
    /// A link that works from `works_at` until `expires_at`, for another purpose than an address.
    pub fn new(
        hash: Hash,
        account: AccountId,
        purpose: Purpose,
        (works_at, expires_at): (RecordTime, RecordTime),
    ) -> EmailLinkRow {
        EmailLinkRow {
            hash: hash.to_vec(),
            account_id: account,
            purpose,
            address: None,
            session_id: None,
            works_at,
            expires_at,
        }
    }

    pub fn verify(
        hash: Hash,
        account: AccountId,
        address: String,
        session: Id,
        times: (RecordTime, RecordTime),
    ) -> EmailLinkRow {
        let (address, session_id) = (Some(address), Some(session));
        EmailLinkRow { address, session_id, ..EmailLinkRow::new(hash, account, Purpose::Verify, times) }
    }
}

pub fn find(conn: &mut Connection, account: &AccountId) -> Result<Option<EmailAddressRow>> {
    let query = email_addresses::table.find(account).select(EmailAddressRow::as_select());
    Ok(query.first(conn).optional()?)
}

/// The accounts with an address, each with the address as it was verified, at most `limit`.
pub fn accounts_of(conn: &mut Connection, key: &str, limit: i64) -> Result<Vec<(AccountId, String)>> {
    let query = email_addresses::table
        .filter(email_addresses::address_key.eq(key))
        .order(email_addresses::account_id)
        .limit(limit)
        .select((email_addresses::account_id, email_addresses::address));
    Ok(query.load(conn)?)
}

/// Sets the address of an account, in place of a former one.
pub fn put(conn: &mut Connection, address: &EmailAddressRow) -> Result<()> {
    remove(conn, &address.account_id)?;
    diesel::insert_into(email_addresses::table).values(address).execute(conn)?;
    Ok(())
}

/// Takes the address from an account. Returns false if it had none.
pub fn remove(conn: &mut Connection, account: &AccountId) -> Result<bool> {
    Ok(diesel::delete(email_addresses::table.find(account)).execute(conn)? == 1)
}

pub fn add_link(conn: &mut Connection, link: &EmailLinkRow) -> Result<()> {
    diesel::insert_into(email_links::table).values(link).execute(conn)?;
    Ok(())
}

/// Adds a link of an account in place of those with the same purpose.
pub fn replace_link(conn: &mut Connection, link: &EmailLinkRow) -> Result<()> {
    let former = email_links::table
        .filter(email_links::account_id.eq(&link.account_id))
        .filter(email_links::purpose.eq(link.purpose));
    diesel::delete(former).execute(conn)?;
    add_link(conn, link)
}

/// The link with a token's hash that has not expired. It stays.
pub fn find_link(
    conn: &mut Connection,
    hash: &Hash,
    purpose: Purpose,
    now: i64,
) -> Result<Option<EmailLinkRow>> {
    let query = email_links::table
        .find(&hash[..])
        .filter(email_links::purpose.eq(purpose))
        .filter(email_links::expires_at.gt(now))
        .select(EmailLinkRow::as_select());
    Ok(query.first(conn).optional()?)
}

/// The way back that a moderator gave to an account, if it has not expired.
pub fn access_link(conn: &mut Connection, account: &AccountId, now: i64) -> Result<Option<EmailLinkRow>> {
    let query = EmailLinkRow::query()
        .filter(email_links::account_id.eq(account))
        .filter(email_links::purpose.eq(Purpose::Access))
        .filter(email_links::expires_at.gt(now));
    Ok(query.first(conn).optional()?)
}

/// Stops the way back that a moderator gave to an account. Returns false if there was none.
pub fn stop_access(conn: &mut Connection, account: &AccountId) -> Result<bool> {
    let of = |purpose: Purpose| {
        email_links::table
            .filter(email_links::account_id.eq(account))
            .filter(email_links::purpose.eq(purpose))
    };
    diesel::delete(of(Purpose::Stop)).execute(conn)?;
    Ok(diesel::delete(of(Purpose::Access)).execute(conn)? > 0)
}

/// Deletes a link. Returns false if it is not there any more: of two that redeem it, one gets true.
pub fn redeem_link(conn: &mut Connection, hash: &Hash) -> Result<bool> {
    Ok(diesel::delete(email_links::table.find(&hash[..])).execute(conn)? == 1)
}

/// Voids the links that verify addresses for an account, as when it asks for another one.
pub fn void_verifications(conn: &mut Connection, account: &AccountId) -> Result<()> {
    let links = email_links::table
        .filter(email_links::account_id.eq(account))
        .filter(email_links::purpose.eq(Purpose::Verify));
    diesel::delete(links).execute(conn)?;
    Ok(())
}

/// Voids all links of an account, as when its address or its password changes. Returns their number.
pub fn void_all_links(conn: &mut Connection, account: &AccountId) -> Result<usize> {
    let links = email_links::table.filter(email_links::account_id.eq(account));
    Ok(diesel::delete(links).execute(conn)?)
}

/// Deletes expired links, and returns their number.
pub fn sweep_links(conn: &mut Connection, now: i64) -> Result<usize> {
    Ok(diesel::delete(email_links::table.filter(email_links::expires_at.le(now))).execute(conn)?)
}
