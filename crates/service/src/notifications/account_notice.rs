//! Notices about an account, and writing them with what they tell of.

use super::NoticeKind;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::notifications::{self, NewNotification, WEBHOOK};
use estimation_store::{Connection, Id, StoreError, push_subscriptions};

/// A notice about an account and no game.
pub(crate) fn account_notice(
    kind: NoticeKind,
    account: &AccountId,
    id: Id,
    now: RecordTime,
) -> NewNotification {
    NewNotification {
        id,
        account: account.clone(),
        kind: kind.as_str(),
        game: None,
        version: None,
        since: now,
        expires_at: None,
        created_at: now,
    }
}

/// The destinations that get a notice.
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    pub(crate) webhook: bool,
    /// The browsers of all sessions of the account.
    pub(crate) pushes: bool,
}

/// Writes a notice that cannot be muted and does not wait for the end of quiet hours. The browser of the session `except`
/// does not get it.
pub(crate) fn write_at_once(
    conn: &mut Connection,
    notice: &NewNotification,
    reach: Reach,
    except: Option<&str>,
) -> Result<(), StoreError> {
    if reach.webhook {
        notifications::add(conn, notice, WEBHOOK, notice.created_at.milliseconds())?;
    }
    if reach.pushes {
        for one in push_subscriptions::of_accounts(conn, std::slice::from_ref(&notice.account))? {
            if except != Some(one.session_id.as_str()) {
                notifications::add(conn, notice, &one.session_id, notice.created_at.milliseconds())?;
            }
        }
    }
    Ok(())
}
