//! Writes notices: a row for each destination.

use super::NoticeKind;
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::notifications::{self, NewNotification, WEBHOOK};
use estimation_store::push_subscriptions::{self, PushSubscription};
use estimation_store::{Connection, Id, StoreError};

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

/// The destinations that notices have.
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    pub(crate) webhook: bool,
    /// The browsers of all sessions of the account.
    pub(crate) pushes: bool,
}

/// Writes a notice for its destinations, to be sent from a time on, and to a browser not within `grouping` milliseconds of its
/// last push. Returns whether it is new for one.
pub(super) fn write(
    conn: &mut Connection,
    notice: &NewNotification,
    reach: Reach,
    subscriptions: &[PushSubscription],
    (at, grouping): (i64, Option<i64>),
) -> Result<bool, StoreError> {
    let mut is_new = reach.webhook && notifications::add(conn, notice, WEBHOOK, at)?;
    for one in subscriptions.iter().filter(|one| reach.pushes && one.account_id == notice.account) {
        let at = grouping.map_or(at, |grouping| at.max(one.pushed_at + grouping));
        is_new |= notifications::add(conn, notice, &one.session_id, at)?;
    }
    Ok(is_new)
}

/// Writes a notice that cannot be muted and does not wait for the end of quiet hours. The browser of the session `except`
/// does not get it.
pub(crate) fn write_at_once(
    conn: &mut Connection,
    notice: &NewNotification,
    reach: Reach,
    except: Option<&str>,
) -> Result<(), StoreError> {
    let mut subscriptions = match reach.pushes {
        true => push_subscriptions::of_accounts(conn, std::slice::from_ref(&notice.account))?,
        false => Vec::new(),
    };
    subscriptions.retain(|one| except != Some(one.session_id.as_str()));
    write(conn, notice, reach, &subscriptions, (notice.created_at.milliseconds(), None)).map(drop)
}
