//! The matchmaking queue. Rows change in the same transactions as their tables' events, so every account in
//! the queue has exactly one seat.

use std::collections::HashSet;

use diesel::dsl::{count_star, exists, max, min};
use diesel::prelude::*;

use super::schema::{games, matchmaking};
use super::{Connection, GameId, StoreError, leader};
use estimation_engine::player::AccountId;

/// PostgreSQL's lock number for opening a matchmaking table: ASCII "queue".
const OPENING: i64 = 0x71_7565_7565;

/// An account in the queue, or one whose table has begun.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = matchmaking)]
pub struct WaitingRow {
    pub account_id: AccountId,
    /// The account's table.
    pub game_id: GameId,
    /// The match key, a hash of what is to be played; `None` once the game has begun.
    pub terms: Option<String>,
    /// Start of waiting, in milliseconds since 1970 in UTC.
    pub since: i64,
    /// When the account accepts bots; `None` for never.
    pub bots_at: Option<i64>,
}

/// An account that joins the queue at the table of its unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWaiting {
    pub account: AccountId,
    /// The match key, a hash of what is to be played.
    pub terms: String,
    /// Start of waiting.
    pub since: i64,
    /// When the account accepts bots; `None` for never.
    pub bots_at: Option<i64>,
}

/// The queue entry of an account.
pub fn find(conn: &mut Connection, account: &AccountId) -> Result<Option<WaitingRow>, StoreError> {
    let query = matchmaking::table.find(account).select(WaitingRow::as_select());
    Ok(query.first(conn).optional()?)
}

/// The tables with room for this match key, the oldest first.
pub fn with_room(conn: &mut Connection, terms: &str) -> Result<Vec<GameId>, StoreError> {
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

/// Whether a table is a matchmaking table that has not begun.
pub fn is_open(conn: &mut Connection, game: GameId) -> Result<bool, StoreError> {
    let waiting =
        matchmaking::table.filter(matchmaking::game_id.eq(game)).filter(matchmaking::terms.is_not_null());
    Ok(diesel::select(exists(waiting)).get_result(conn)?)
}

/// When bots may fill a table: when all waiting accounts accept them. `None` if an account never does, or the
/// queue is empty.
pub fn bots_at(conn: &mut Connection, game: GameId) -> Result<Option<i64>, StoreError> {
    let rows: Vec<Option<i64>> = matchmaking::table
        .filter(matchmaking::game_id.eq(game))
        .filter(matchmaking::terms.is_not_null())
        .select(matchmaking::bots_at)
        .load(conn)?;
    Ok(rows.into_iter().collect::<Option<Vec<i64>>>().and_then(|times| times.into_iter().max()))
}

/// The tables that must advance by the time `by`, without those in `skip`: those that bots may fill, and full ones.
pub fn due(
    conn: &mut Connection,
    by: i64,
    skip: &HashSet<GameId>,
    limit: i64,
) -> Result<Vec<GameId>, StoreError> {
    let mut due: Vec<GameId> = matchmaking::table
        .filter(matchmaking::terms.is_not_null())
        .filter(matchmaking::game_id.ne_all(skip.iter().copied()))
        .group_by(matchmaking::game_id)
        .having(count_star().eq(diesel::dsl::count(matchmaking::bots_at)))
        .having(max(matchmaking::bots_at).le(by))
        .order(max(matchmaking::bots_at))
        .limit(limit)
        .select(matchmaking::game_id)
        .load(conn)?;
    let full: Vec<GameId> = matchmaking::table
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

/// Deletes a queue entry, unless it changed meanwhile.
pub fn forget(conn: &mut Connection, row: &WaitingRow) -> Result<(), StoreError> {
    let same = matchmaking::table
        .find(&row.account_id)
        .filter(matchmaking::game_id.eq(row.game_id))
        .filter(matchmaking::since.eq(row.since));
    diesel::delete(same).execute(conn)?;
    Ok(())
}

/// Adds an account to the queue of a table.
pub(super) fn join(conn: &mut Connection, game: GameId, new: &NewWaiting) -> Result<(), StoreError> {
    // An entry of a game that has begun no longer counts and is replaced.
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

/// Adds an account to the queue of a new table, unless another table has room. Only one node may do this at a
/// time, so that two concurrent accounts meet at one table.
pub(super) fn open(
    conn: &mut Connection,
    game: GameId,
    new: &NewWaiting,
    barred: &[GameId],
) -> Result<(), StoreError> {
    if !leader::lead(conn, OPENING)? {
        return Err(StoreError::QueueBusy);
    }
    if with_room(conn, &new.terms)?.iter().any(|table| !barred.contains(table)) {
        return Err(StoreError::QueueBusy);
    }
    join(conn, game, new)
}

/// Removes an account from a table's queue.
pub(super) fn leave(conn: &mut Connection, game: GameId, account: &AccountId) -> Result<(), StoreError> {
    let waiting = matchmaking::table.find(account).filter(matchmaking::game_id.eq(game));
    diesel::delete(waiting).execute(conn)?;
    Ok(())
}

/// Empties the queue of a table that has begun.
pub(super) fn begin(conn: &mut Connection, game: GameId) -> Result<(), StoreError> {
    let there = matchmaking::table.filter(matchmaking::game_id.eq(game));
    diesel::update(there).set(matchmaking::terms.eq(None::<String>)).execute(conn)?;
    Ok(())
}

/// Deletes the queue entries of a game that is over.
pub(super) fn end(conn: &mut Connection, game: GameId) -> Result<(), StoreError> {
    diesel::delete(matchmaking::table.filter(matchmaking::game_id.eq(game))).execute(conn)?;
    Ok(())
}
