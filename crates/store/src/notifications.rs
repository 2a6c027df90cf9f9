//! Notices to players, one row for each destination, and what players chose about them.
//!
//! A row is open until it has an outcome. To send it, a node first takes it for longer than sending takes: no other node
//! sends it meanwhile, and another one takes over if the node dies.

use diesel::dsl::{exists, not};
use diesel::prelude::*;

use super::connection::insert_if_absent;
use super::schema::{notification_choices, notifications};
use super::{AccountId, Connection, GameId, Id, RecordTime, Result};

/// The destination of webhooks. Others are sessions.
pub const WEBHOOK: &str = "webhook";

/// Failed attempts after which a notice holds up no later one of its game.
const RELEASED_AFTER: i32 = 3;

/// A notice for one destination. Times are milliseconds since 1970 in UTC.
#[derive(Debug, Clone, PartialEq, Eq, HasQuery)]
#[diesel(table_name = notifications)]
pub struct NotificationRow {
    /// Follows from what the notice is about.
    pub id: Id,
    /// [`WEBHOOK`], or the session of a push subscription.
    pub destination: String,
    pub account_id: AccountId,
    pub kind: String,
    pub game_id: Option<GameId>,
    /// The version of the game when the notice became due.
    pub version: Option<i64>,
    /// When what it tells of began. Notices of a game go out in this order.
    pub since: RecordTime,
    /// When it is of no use any more; `None` for never.
    pub expires_at: Option<RecordTime>,
    /// Attempts that failed.
    pub failures: i32,
    /// When to send it; `None` once it has an outcome.
    pub next_at: Option<i64>,
    /// Until when a node sends it.
    pub taken_until: Option<i64>,
    /// How it ended; `None` while it is open.
    pub outcome: Option<String>,
    pub created_at: RecordTime,
    pub settled_at: Option<RecordTime>,
}

/// A notice to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotification {
    pub id: Id,
    pub account: AccountId,
    pub kind: &'static str,
    pub game: Option<GameId>,
    pub version: Option<i64>,
    pub since: RecordTime,
    pub expires_at: Option<RecordTime>,
    pub created_at: RecordTime,
}

/// How the attempt to send a notice ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    Delivered,
    /// It was out of date, or its destination is gone.
    Dropped,
    /// It failed, and is tried again at this time.
    Again(i64),
    /// It waits until this time.
    Later(i64),
    /// It failed for the last time, and waits for an operator.
    Parked,
}

/// Writes a notice for a destination, to be sent at a time. Returns false if it was written before, or if the account is
/// gone.
pub fn add(conn: &mut Connection, notice: &NewNotification, destination: &str, next_at: i64) -> Result<bool> {
    let row = (
        notifications::id.eq(notice.id),
        notifications::destination.eq(destination),
        notifications::account_id.eq(&notice.account),
        notifications::kind.eq(notice.kind),
        notifications::game_id.eq(notice.game),
        notifications::version.eq(notice.version),
        notifications::since.eq(notice.since),
        notifications::expires_at.eq(notice.expires_at),
        notifications::failures.eq(0),
        notifications::next_at.eq(Some(next_at)),
        notifications::created_at.eq(notice.created_at),
    );
    let added = insert_if_absent!(conn, notifications::table, row);
    if added == 1 {
        wake_earlier(conn, notice, destination, next_at)?;
    }
    Ok(added == 1)
}

/// Makes notices due that hold up a later one of their game: they are tried again, or found out of date.
fn wake_earlier(conn: &mut Connection, later: &NewNotification, destination: &str, at: i64) -> Result<()> {
    let earlier = notifications::table
        .filter(notifications::destination.eq(destination))
        .filter(notifications::game_id.eq(later.game))
        .filter(notifications::outcome.is_null())
        .filter(notifications::since.lt(later.since))
        .filter(notifications::next_at.gt(at));
    diesel::update(earlier).set(notifications::next_at.eq(Some(at))).execute(conn)?;
    Ok(())
}

/// Which of these notices were written for any destination.
pub fn known(conn: &mut Connection, ids: &[Id]) -> Result<Vec<Id>> {
    let query = notifications::table.filter(notifications::id.eq_any(ids)).select(notifications::id);
    Ok(query.distinct().load(conn)?)
}

/// Whether a notice may be due: a read that keeps the writer free.
pub fn any_due(conn: &mut Connection, now: i64) -> Result<bool> {
    let due = notifications::table.filter(notifications::next_at.le(now)).filter(
        notifications::taken_until.is_null().or(notifications::taken_until.le(now).assume_not_null()),
    );
    Ok(diesel::select(exists(due)).get_result(conn)?)
}

/// Takes notices that are due, at most `limit`, and keeps other nodes from sending them until `until`. Of each game and
/// destination only the first open one is due, unless it failed three times.
pub fn take(conn: &mut Connection, now: i64, until: i64, limit: i64) -> Result<Vec<NotificationRow>> {
    let earlier = diesel::alias!(notifications as earlier);
    let since = earlier.field(notifications::since);
    let is_tied = since.eq(notifications::since).and(earlier.field(notifications::id).lt(notifications::id));
    let is_before = since.lt(notifications::since).or(is_tied);
    let held_up = earlier
        .filter(earlier.field(notifications::destination).eq(notifications::destination))
        .filter(earlier.field(notifications::game_id).eq(notifications::game_id))
        .filter(earlier.field(notifications::outcome).is_null())
        .filter(earlier.field(notifications::failures).lt(RELEASED_AFTER))
        .filter(is_before)
        .select(earlier.field(notifications::id));
    let due: Vec<NotificationRow> = NotificationRow::query()
        .filter(notifications::next_at.le(now))
        .filter(notifications::taken_until.is_null().or(notifications::taken_until.le(now).assume_not_null()))
        .filter(not(exists(held_up)))
        .order((notifications::next_at, notifications::since))
        .limit(limit)
        .load(conn)?;
    let mut taken = Vec::with_capacity(due.len());
    for row in due {
        let open = notifications::table
            .find((row.id, &row.destination))
            .filter(notifications::outcome.is_null())
            .filter(
                notifications::taken_until.is_null().or(notifications::taken_until.le(now).assume_not_null()),
            );
        if diesel::update(open).set(notifications::taken_until.eq(Some(until))).execute(conn)? == 1 {
            taken.push(row);
        }
    }
    Ok(taken)
}

/// Writes how the attempt to send a notice ended. Does nothing if it has an outcome.
pub fn settle(
    conn: &mut Connection,
    row: &NotificationRow,
    settled: DeliveryOutcome,
    now: i64,
) -> Result<()> {
    let open = notifications::table.find((row.id, &row.destination)).filter(notifications::outcome.is_null());
    let end = |outcome: &'static str, failures: i32| {
        (
            notifications::outcome.eq(Some(outcome)),
            notifications::failures.eq(failures),
            notifications::next_at.eq(None::<i64>),
            notifications::taken_until.eq(None::<i64>),
            notifications::settled_at.eq(Some(now)),
        )
    };
    match settled {
        DeliveryOutcome::Delivered => {
            diesel::update(open).set(end("delivered", row.failures)).execute(conn)?;
        }
        DeliveryOutcome::Dropped => {
            diesel::update(open).set(end("dropped", row.failures)).execute(conn)?;
        }
        DeliveryOutcome::Parked => {
            diesel::update(open).set(end("parked", row.failures + 1)).execute(conn)?;
        }
        DeliveryOutcome::Later(at) => {
            let set = (notifications::next_at.eq(Some(at)), notifications::taken_until.eq(None::<i64>));
            diesel::update(open).set(set).execute(conn)?;
        }
        DeliveryOutcome::Again(at) => {
            let set = (
                notifications::failures.eq(row.failures + 1),
                notifications::next_at.eq(Some(at)),
                notifications::taken_until.eq(None::<i64>),
            );
            diesel::update(open).set(set).execute(conn)?;
        }
    }
    Ok(())
}

/// The parked notices, oldest first, at most `limit`.
pub fn parked(conn: &mut Connection, limit: i64) -> Result<Vec<NotificationRow>> {
    let query = NotificationRow::query()
        .filter(notifications::outcome.eq("parked"))
        .order((notifications::settled_at, notifications::id))
        .limit(limit);
    Ok(query.load(conn)?)
}

/// Opens parked notices again, all or the one with this id, and returns how many.
pub fn replay(conn: &mut Connection, id: Option<Id>, now: i64) -> Result<usize> {
    let set = (
        notifications::outcome.eq(None::<String>),
        notifications::failures.eq(0),
        notifications::next_at.eq(Some(now)),
        notifications::settled_at.eq(None::<i64>),
        // What was sent late is of use late.
        notifications::expires_at.eq(None::<i64>),
    );
    let parked = notifications::table.filter(notifications::outcome.eq("parked"));
    Ok(match id {
        Some(id) => diesel::update(parked.filter(notifications::id.eq(id))).set(set).execute(conn)?,
        None => diesel::update(parked).set(set).execute(conn)?,
    })
}

/// The number of open and of parked notices.
pub fn counts(conn: &mut Connection) -> Result<(i64, i64)> {
    let open = notifications::table.filter(notifications::next_at.is_not_null()).count().get_result(conn)?;
    let parked = notifications::table.filter(notifications::outcome.eq("parked")).count().get_result(conn)?;
    Ok((open, parked))
}

/// The notices of an account, oldest first.
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<NotificationRow>> {
    let query = NotificationRow::query().filter(notifications::account_id.eq(account)).order((
        notifications::created_at,
        notifications::id,
        notifications::destination,
    ));
    Ok(query.load(conn)?)
}

/// Deletes notices that have been settled since before `settled_before` and are of no use any more, open ones that have been
/// of no use since before then, and parked ones that have been so since before `parked_before`. Returns their number.
pub fn sweep(conn: &mut Connection, settled_before: i64, parked_before: i64, now: i64) -> Result<usize> {
    let is_over = notifications::expires_at.is_null().or(notifications::expires_at.lt(now).assume_not_null());
    let old = notifications::table
        .filter(notifications::settled_at.lt(settled_before))
        .filter(
            notifications::outcome
                .ne("parked")
                .assume_not_null()
                .or(notifications::settled_at.lt(parked_before).assume_not_null()),
        )
        .filter(is_over);
    // No node has the destination.
    let unsent = notifications::table
        .filter(notifications::next_at.is_not_null())
        .filter(notifications::expires_at.lt(settled_before));
    Ok(diesel::delete(old).execute(conn)? + diesel::delete(unsent).execute(conn)?)
}

/// What accounts chose, as JSON. Accounts without a choice are left out.
pub fn choices(conn: &mut Connection, accounts: &[AccountId]) -> Result<Vec<(AccountId, String)>> {
    let query = notification_choices::table
        .filter(notification_choices::account_id.eq_any(accounts))
        .select((notification_choices::account_id, notification_choices::choices));
    Ok(query.load(conn)?)
}

/// Stores what an account chose.
pub fn choose(conn: &mut Connection, account: &AccountId, choices: &str, at: i64) -> Result<()> {
    let set = (notification_choices::choices.eq(choices), notification_choices::updated_at.eq(at));
    let changed = diesel::update(notification_choices::table.find(account)).set(set).execute(conn)?;
    if changed == 0 {
        diesel::insert_into(notification_choices::table)
            .values((notification_choices::account_id.eq(account), set.0, set.1))
            .execute(conn)?;
    }
    Ok(())
}
