//! Changes of the ways into accounts, which all sessions of an account may see.

use diesel::prelude::*;

use super::columns::text_enums;
use super::schema::account_changes;
use super::{AccountId, Connection, Id, RecordTime, Result};

estimation_engine::choices! {
    /// A change of a way into an account. More kinds are added over time.
    pub enum AccountChangeKind {
        /// A guest chose a username and a password.
        CredentialsSet = "credentials_set",
        /// The account has another password. All other sessions ended.
        PasswordChanged = "password_changed",
        /// Somebody signed in with a recovery code or a link. All other sessions ended.
        Recovered = "recovered",
        /// New recovery codes replace the former ones.
        RecoveryCodesMade = "recovery_codes_made",
        /// An identity of an issuer signs in from now on.
        IdentityLinked = "identity_linked",
        /// An identity of an issuer does not sign in any more.
        IdentityRemoved = "identity_removed",
        /// The account has another email address.
        EmailSet = "email_set",
        /// The account has no email address any more.
        EmailRemoved = "email_removed",
        /// Sign-ins need a second step from now on.
        SecondStepSet = "second_step_set",
        /// Sign-ins need no second step any more.
        SecondStepRemoved = "second_step_removed",
        /// A moderator issued an access link to the account. It works after 24 hours.
        AccessGiven = "access_given",
        /// The access link was stopped.
        AccessStopped = "access_stopped",
    }
}

text_enums!(AccountChangeKind);

/// A change of a way into an account.
#[derive(Clone, Debug, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = account_changes)]
pub struct AccountChangeRow {
    /// UUIDv7.
    pub id: Id,
    pub account_id: AccountId,
    /// The session that made it.
    pub session_id: Id,
    pub kind: AccountChangeKind,
    /// Milliseconds since 1970 in UTC.
    pub changed_at: RecordTime,
}

pub fn insert(conn: &mut Connection, change: &AccountChangeRow) -> Result<()> {
    diesel::insert_into(account_changes::table).values(change).execute(conn)?;
    Ok(())
}

/// The changes of an account, newest first, at most `limit`.
pub fn of_account(conn: &mut Connection, account: &AccountId, limit: i64) -> Result<Vec<AccountChangeRow>> {
    let query = AccountChangeRow::query()
        .filter(account_changes::account_id.eq(account))
        .order(account_changes::id.desc())
        .limit(limit);
    Ok(query.load(conn)?)
}

/// Deletes the changes from before a time, and returns their number.
pub fn sweep(conn: &mut Connection, before: i64) -> Result<usize> {
    let old = account_changes::table.filter(account_changes::changed_at.lt(before));
    Ok(diesel::delete(old).execute(conn)?)
}
