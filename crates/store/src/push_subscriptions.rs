//! Where browsers take pushes: one subscription for each session, while the session lasts.

use diesel::prelude::*;

use super::schema::{push_subscriptions, sessions};
use super::{AccountId, Connection, RecordTime, Result};

/// The most subscriptions of an account. One more replaces the oldest.
const PER_ACCOUNT: i64 = 16;

#[derive(Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = push_subscriptions)]
pub struct PushSubscription {
    pub session_id: String,
    pub account_id: AccountId,
    /// The URL of the push service. Who knows it can send pushes.
    pub endpoint: String,
    /// The browser's public key, an uncompressed point of P-256.
    pub p256dh: Vec<u8>,
    /// The browser's authentication secret, 16 bytes.
    pub auth: Vec<u8>,
    pub created_at: RecordTime,
    /// When the last push went, in milliseconds since 1970 in UTC; 0 before the first.
    pub pushed_at: i64,
}

/// Stores the subscription of a session, in place of a former one of the session or of the browser.
pub fn put(conn: &mut Connection, subscription: &PushSubscription) -> Result<()> {
    let former = push_subscriptions::table.filter(
        push_subscriptions::session_id
            .eq(&subscription.session_id)
            .or(push_subscriptions::endpoint.eq(&subscription.endpoint)),
    );
    diesel::delete(former).execute(conn)?;
    let beyond: Vec<String> = push_subscriptions::table
        .filter(push_subscriptions::account_id.eq(&subscription.account_id))
        .order((push_subscriptions::created_at.desc(), push_subscriptions::session_id.desc()))
        .offset(PER_ACCOUNT - 1)
        .limit(i64::MAX)
        .select(push_subscriptions::session_id)
        .load(conn)?;
    diesel::delete(push_subscriptions::table.filter(push_subscriptions::session_id.eq_any(&beyond)))
        .execute(conn)?;
    diesel::insert_into(push_subscriptions::table).values(subscription).execute(conn)?;
    Ok(())
}

/// Deletes the subscription of a session. Returns false if there was none.
pub fn delete(conn: &mut Connection, session: &str) -> Result<bool> {
    Ok(diesel::delete(push_subscriptions::table.find(session)).execute(conn)? == 1)
}

/// The subscriptions of active sessions of these accounts.
pub fn of_accounts(conn: &mut Connection, accounts: &[AccountId]) -> Result<Vec<PushSubscription>> {
    let query = push_subscriptions::table
        .inner_join(sessions::table.on(sessions::id.eq(push_subscriptions::session_id)))
        .filter(push_subscriptions::account_id.eq_any(accounts))
        .filter(sessions::ended_at.is_null())
        .select(PushSubscription::as_select());
    Ok(query.load(conn)?)
}

/// Whether a push may go to a session.
#[derive(Clone, PartialEq, Eq)]
pub enum Pushing {
    /// To this subscription, which is marked as pushed to.
    Now(PushSubscription),
    /// The last push is not long enough ago; the time from which it is.
    Later(i64),
    /// The session has ended, or has no subscription any more.
    Gone,
}

/// Begins a push to a session, `pause` milliseconds after the last one or later.
pub fn begin_push(conn: &mut Connection, session: &str, now: i64, pause: i64) -> Result<Pushing> {
    let found: Option<PushSubscription> = push_subscriptions::table
        .inner_join(sessions::table.on(sessions::id.eq(push_subscriptions::session_id)))
        .filter(push_subscriptions::session_id.eq(session))
        .filter(sessions::ended_at.is_null())
        .select(PushSubscription::as_select())
        .first(conn)
        .optional()?;
    let Some(subscription) = found else { return Ok(Pushing::Gone) };
    let next = subscription.pushed_at + pause;
    if next > now {
        return Ok(Pushing::Later(next));
    }
    set_pushed(conn, session, now)?;
    Ok(Pushing::Now(subscription))
}

/// Sets when the last push went, as after one that failed.
pub fn set_pushed(conn: &mut Connection, session: &str, at: i64) -> Result<()> {
    let subscription = push_subscriptions::table.find(session);
    diesel::update(subscription).set(push_subscriptions::pushed_at.eq(at)).execute(conn)?;
    Ok(())
}

/// Deletes the subscriptions of ended sessions, and returns their number.
pub fn sweep(conn: &mut Connection) -> Result<usize> {
    let ended = sessions::table.filter(sessions::ended_at.is_not_null()).select(sessions::id);
    let old = push_subscriptions::table.filter(push_subscriptions::session_id.eq_any(ended));
    Ok(diesel::delete(old).execute(conn)?)
}
