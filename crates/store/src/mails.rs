//! Mails to send. A node takes a mail by moving the time of its next attempt, and deletes it when it is sent.

use diesel::prelude::*;

use super::columns::text_enums;
use super::schema::mails;
use super::{AccountId, Connection, Id, RecordTime, Result};

estimation_engine::choices! {
    /// The purpose of a mail.
    pub enum MailKind {
        /// It has a link that verifies the address.
        Verify = "verify",
        /// It has links into the accounts of the address.
        Reset = "reset",
        /// It tells a former address that it was removed.
        Changed = "changed",
        /// It announces an access link, and has a link that stops it.
        Access = "access",
        /// It has a link to the export of the account.
        Export = "export",
    }
}

text_enums!(MailKind);

/// A mail to send. Times are milliseconds since 1970 in UTC.
#[derive(Clone, Debug, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = mails)]
pub struct MailRow {
    /// UUIDv7.
    pub id: Id,
    pub kind: MailKind,
    /// `None` for a reset, which is asked for by address.
    pub account_id: Option<AccountId>,
    /// The session that asked for a link.
    pub session_id: Option<Id>,
    pub address: String,
    /// `en` or `ar`.
    pub language: String,
    pub next_at: RecordTime,
    pub created_at: RecordTime,
}

pub fn add(conn: &mut Connection, mail: &MailRow) -> Result<()> {
    diesel::insert_into(mails::table).values(mail).execute(conn)?;
    Ok(())
}

/// Whether a mail may be due: a read that keeps the writer free.
pub fn any_due(conn: &mut Connection, now: i64) -> Result<bool> {
    let due = mails::table.filter(mails::next_at.le(now));
    Ok(diesel::select(diesel::dsl::exists(due)).get_result(conn)?)
}

/// Takes a mail that is due. No other node gets it before `until`. None if nothing is due, or another node took it.
pub fn take(conn: &mut Connection, now: i64, until: i64) -> Result<Option<MailRow>> {
    let due: Option<MailRow> = MailRow::query()
        .filter(mails::next_at.le(now))
        .order((mails::next_at, mails::id))
        .first(conn)
        .optional()?;
    let Some(row) = due else { return Ok(None) };
    let free = mails::table.find(row.id).filter(mails::next_at.le(now));
    let is_ours = diesel::update(free).set(mails::next_at.eq(until)).execute(conn)? == 1;
    Ok(is_ours.then_some(row))
}

/// Whether a mail is still to be sent: it may have been withdrawn, also with its account.
pub fn is_wanted(conn: &mut Connection, id: Id) -> Result<bool> {
    Ok(diesel::select(diesel::dsl::exists(mails::table.find(id))).get_result(conn)?)
}

/// Tries a mail again at a time.
pub fn retry(conn: &mut Connection, id: Id, at: i64) -> Result<()> {
    diesel::update(mails::table.find(id)).set(mails::next_at.eq(at)).execute(conn)?;
    Ok(())
}

/// Deletes a mail that was sent, or is given up.
pub fn end(conn: &mut Connection, id: Id) -> Result<()> {
    diesel::delete(mails::table.find(id)).execute(conn)?;
    Ok(())
}

/// Deletes the mails to an account that are not sent, and returns their number.
pub fn withdraw(conn: &mut Connection, account: &AccountId) -> Result<usize> {
    Ok(diesel::delete(mails::table.filter(mails::account_id.eq(account))).execute(conn)?)
}
