//! Who waits to be seated with strangers. Rows come and go in the transactions of their tables' events, so
//! who waits always has a seat, and one seat alone.

use std::collections::HashSet;

use diesel::dsl::{count_star, exists, max, min};
use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::leader;
use super::schema::{games, matchmaking};

/// Under this number PostgreSQL keeps the lock of whoever opens a table for strangers: the ASCII of "queue".
const OPENING: i64 = 0x71_7565_7565;

/// An account that waits, or whose table has begun to play.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = matchmaking)]
pub struct WaitingRow {
    /// The account.
    pub account_id: String,
    /// The table it sits at.
    pub game_id: String,
    /// What is to be played, as a hash; `None` once it has begun.
    pub terms: Option<String>,
    /// Since when it waits, in milliseconds since 1970 in UTC.
    pub since: i64,
    /// From when it agrees to bots; `None` for never.
    pub bots_at: Option<i64>,
}

/// An account that begins to wait, at the table of its unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWaiting {
    /// The account.
    pub account: String,
    /// What is to be played, as a hash.
    pub terms: String,
    /// Since when.
    pub since: i64,
    /// From when it agrees to bots.
    pub bots_at: Option<i64>,
}

/// What an account waits for, if it does.
///
/// # Errors
/// What reading met.
pub fn find(conn: &mut Connection, account: &str) -> Result<Option<WaitingRow>, StoreError> {
    let query = matchmaking::table.find(account).select(WaitingRow::as_select());
    Ok(query.first(conn).optional()?)
}

/// The tables with room for what is to be played, the one opened first in front.
///
/// # Errors
/// What reading met.
pub fn with_room(conn: &mut Connection, terms: &str) -> Result<Vec<String>, StoreError> {
    let query = matchmaking::table
        .inner_join(games::table.on(games::id.eq(matchmaking::game_id)))
        .filter(matchmaking::terms.eq(terms))
        .filter(games::status.eq("lobby"))
        .filter(games::taken.lt(games::players))
        .group_by(matchmaking::game_id)
        .order((min(matchmaking::since), matchmaking::game_id))
        .select(matchmaking::game_id);
    Ok(query.load(conn)?)
}

/// Whether a table is one of strangers, and has not begun.
///
/// # Errors
/// What reading met.
pub fn is_open(conn: &mut Connection, game: &str) -> Result<bool, StoreError> {
    let waiting =
        matchmaking::table.filter(matchmaking::game_id.eq(game)).filter(matchmaking::terms.is_not_null());
    Ok(diesel::select(exists(waiting)).get_result(conn)?)
}

/// When bots may fill a table up: when the last of those who wait there agrees; `None` if somebody never does,
/// or nobody waits there.
///
/// # Errors
/// What reading met.
pub fn bots_at(conn: &mut Connection, game: &str) -> Result<Option<i64>, StoreError> {
    let rows: Vec<Option<i64>> = matchmaking::table
        .filter(matchmaking::game_id.eq(game))
        .filter(matchmaking::terms.is_not_null())
        .select(matchmaking::bots_at)
        .load(conn)?;
    Ok(rows.into_iter().collect::<Option<Vec<i64>>>().and_then(|times| times.into_iter().max()))
}

/// The tables that have to go on by a time, without those to skip: those that bots may fill up, and those that are
/// full.
///
/// # Errors
/// What reading met.
pub fn due(
    conn: &mut Connection,
    by: i64,
    skip: &HashSet<String>,
    limit: i64,
) -> Result<Vec<String>, StoreError> {
    let skip: Vec<&str> = skip.iter().map(String::as_str).collect();
    let mut due: Vec<String> = matchmaking::table
        .filter(matchmaking::terms.is_not_null())
        .filter(matchmaking::game_id.ne_all(skip.iter().copied()))
        .group_by(matchmaking::game_id)
        .having(count_star().eq(diesel::dsl::count(matchmaking::bots_at)))
        .having(max(matchmaking::bots_at).le(by))
        .order(max(matchmaking::bots_at))
        .limit(limit)
        .select(matchmaking::game_id)
        .load(conn)?;
    let full: Vec<String> = matchmaking::table
        .inner_join(games::table.on(games::id.eq(matchmaking::game_id)))
        .filter(matchmaking::terms.is_not_null())
        .filter(games::status.eq("lobby"))
        .filter(games::taken.ge(games::players))
        .filter(matchmaking::game_id.ne_all(skip.iter().copied()))
        .group_by(matchmaking::game_id)
        .limit(limit)
        .select(matchmaking::game_id)
        .load(conn)?;
    due.extend(full);
    due.sort_unstable();
    due.dedup();
    Ok(due)
}

/// Forgets what an account waited for, if that is what it still waits for.
///
/// # Errors
/// What writing met.
pub fn forget(conn: &mut Connection, row: &WaitingRow) -> Result<(), StoreError> {
    let same = matchmaking::table
        .find(&row.account_id)
        .filter(matchmaking::game_id.eq(&row.game_id))
        .filter(matchmaking::since.eq(row.since));
    diesel::delete(same).execute(conn)?;
    Ok(())
}

/// Has an account wait at a table.
pub(super) fn join(conn: &mut Connection, game: &str, new: &NewWaiting) -> Result<(), StoreError> {
    // What it waited for before has begun, and is nothing it waits for any more.
    let begun = matchmaking::table.find(&new.account).filter(matchmaking::terms.is_null());
    diesel::delete(begun).execute(conn)?;
    diesel::insert_into(matchmaking::table)
        .values((
            matchmaking::account_id.eq(&new.account),
            matchmaking::game_id.eq(game),
            matchmaking::terms.eq(&new.terms),
            matchmaking::since.eq(new.since),
            matchmaking::bots_at.eq(new.bots_at),
        ))
        .execute(conn)
        .map_err(|e| StoreError::or_duplicate(e, || StoreError::WaitsAlready))?;
    Ok(())
}

/// Has an account wait at a table that is opened for it, unless another has room. One node at a time may, so
/// that two who come at once end at one table.
pub(super) fn open(
    conn: &mut Connection,
    game: &str,
    new: &NewWaiting,
    barred: &[String],
) -> Result<(), StoreError> {
    if !leader::lead(conn, OPENING)? {
        return Err(StoreError::QueueBusy);
    }
    if with_room(conn, &new.terms)?.iter().any(|table| !barred.contains(table)) {
        return Err(StoreError::QueueBusy);
    }
    join(conn, game, new)
}

/// Has an account wait at a table no more.
pub(super) fn leave(conn: &mut Connection, game: &str, account: &str) -> Result<(), StoreError> {
    let waiting = matchmaking::table.find(account).filter(matchmaking::game_id.eq(game));
    diesel::delete(waiting).execute(conn)?;
    Ok(())
}

/// Says that a table has begun: nobody waits there any more.
///
/// # Errors
/// What writing met.
pub fn begin(conn: &mut Connection, game: &str) -> Result<(), StoreError> {
    let there = matchmaking::table.filter(matchmaking::game_id.eq(game));
    diesel::update(there).set(matchmaking::terms.eq(None::<String>)).execute(conn)?;
    Ok(())
}

/// Forgets a table that is over.
pub(super) fn end(conn: &mut Connection, game: &str) -> Result<(), StoreError> {
    diesel::delete(matchmaking::table.filter(matchmaking::game_id.eq(game))).execute(conn)?;
    Ok(())
}
