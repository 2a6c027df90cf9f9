//! Mails to send.

use diesel::prelude::*;

use super::columns::text_enums;
use super::schema::mails;
use super::shared_work::queue;
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

queue!(mails, MailRow: any_due, take, retry, end);

/// Whether a mail is still to be sent: it may have been withdrawn, also with its account.
pub fn is_wanted(conn: &mut Connection, id: Id) -> Result<bool> {
    Ok(diesel::select(diesel::dsl::exists(mails::table.find(id))).get_result(conn)?)
}

/// Deletes the mails to an account that are not sent, and returns their number.
pub fn withdraw(conn: &mut Connection, account: &AccountId) -> Result<usize> {
    Ok(diesel::delete(mails::table.filter(mails::account_id.eq(account))).execute(conn)?)
}
