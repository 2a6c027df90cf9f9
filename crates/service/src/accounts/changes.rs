//! Changes of the ways into an account. The other sessions of the account are told: in a list that each may read, and by
//! notices where the player has a gateway or a browser that takes pushes.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Accounts;
use crate::auth::caller::Caller;
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::{Failure, milliseconds};
use crate::base::ids::new_id;
use crate::notifications::{NoticeKind, Reach, account_notice, write_at_once};
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
pub use estimation_store::account_changes::AccountChangeKind;
use estimation_store::account_changes::{self, AccountChangeRow};
use estimation_store::{Connection, Id, Server, StoreError, email_addresses, mails};

/// How many changes a list has.
const LISTED: i64 = 50;

/// How long changes are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);

/// A change of a way into the caller's account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AccountChange {
    /// The change's id.
    pub id: Uuid,
    /// What was changed.
    pub kind: AccountChangeKind,
    /// When it was changed.
    pub at: RecordTime,
    /// The session that did it; `00000000-0000-0000-0000-000000000000` for a moderator, the
    /// command line, and the link of a mail.
    pub session_id: Uuid,
    /// Whether that is the caller's session.
    pub current: bool,
}

/// Changes of the ways into an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AccountChangeList {
    /// The changes of the last 90 days, newest first.
    #[schema(max_items = 50)]
    pub items: Vec<AccountChange>,
}

/// Makes changes that are told of.
pub(crate) struct ChangeLog {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) reach: Reach,
}

/// A change to write with what it changes.
#[derive(Clone)]
pub(crate) struct MadeChange {
    row: AccountChangeRow,
    reach: Reach,
}

impl ChangeLog {
    /// A change that a moderator makes now.
    pub(crate) fn made_by_moderator(&self, account: &AccountId, kind: AccountChangeKind) -> MadeChange {
        self.made(account, Uuid::nil(), kind)
    }

    /// A change that a session of an account makes now.
    pub(crate) fn made(&self, account: &AccountId, session: Uuid, kind: AccountChangeKind) -> MadeChange {
        let now = self.clock.now();
        let row = AccountChangeRow {
            id: Id(new_id(now, &*self.entropy)),
            account_id: account.clone(),
            session_id: Id(session),
            kind,
            changed_at: now.into(),
        };
        MadeChange { row, reach: self.reach }
    }
}

impl MadeChange {
    /// Writes the change, and its notices to the other sessions. They do not wait for the end of quiet hours.
    pub(crate) fn write(&self, conn: &mut Connection) -> Result<(), StoreError> {
        let AccountChangeRow { id, account_id, session_id, changed_at, .. } = &self.row;
        account_changes::insert(conn, &self.row)?;
        let notice = account_notice(NoticeKind::AccountChanged, account_id, *id, *changed_at);
        write_at_once(conn, &notice, self.reach, Some(&session_id.to_string()))
    }
}

/// Ends what was sent to email addresses of an account: with the sessions end the links that others may have asked for.
pub(super) fn end_links(conn: &mut Connection, account: &AccountId) -> Result<(), StoreError> {
    mails::withdraw(conn, account)?;
    email_addresses::void_all_links(conn, account)?;
    Ok(())
}

impl Accounts {
    /// The changes of the ways into the caller's account.
    pub async fn changes(&self, caller: &Caller) -> Result<AccountChangeList, Failure> {
        let account = caller.account.clone();
        let rows = self.database.read(move |conn| account_changes::of_account(conn, &account, LISTED));
        let items = rows.await?.into_iter().map(|row| AccountChange::of(row, caller.session));
        Ok(AccountChangeList { items: items.collect() })
    }

    /// Deletes old changes.
    pub(crate) async fn sweep_changes(&self) -> Result<(), Failure> {
        let before = self.clock.now().checked_sub(KEPT).unwrap_or(Timestamp::UNIX_EPOCH);
        let before = milliseconds(before);
        self.database.write(Server, move |conn| account_changes::sweep(conn, before)).await?;
        Ok(())
    }
}

impl AccountChange {
    /// A stored change, as a session sees it.
    pub(crate) fn of(row: AccountChangeRow, session: Uuid) -> AccountChange {
        let Id(session_id) = row.session_id;
        AccountChange {
            id: row.id.0,
            kind: row.kind,
            at: row.changed_at,
            session_id,
            current: session_id == session,
        }
    }
}
