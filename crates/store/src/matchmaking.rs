//! The matchmaking queue. Rows change in the same transactions as their tables' events, so every account in
//! the queue has exactly one seat.

use std::collections::HashSet;

use diesel::dsl::{count, count_star, exists, max, min};
use diesel::prelude::*;

use super::schema::{games, matchmaking};
use super::{AccountId, Connection, GameId, RecordTime, Result, StoreError, shared_work};

/// PostgreSQL's lock number for opening a matchmaking table: ASCII "queue".
const OPENING: i64 = 0x71_7565_7565;

/// An account in the queue, or one whose table has begun.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = matchmaking)]
pub struct WaitingRow {
    pub account_id: AccountId,
    /// The account's table.
    pub game_id: GameId,
    /// The match key, a hash of what is to be played; `None` once the game has begun, and for an account that left the
    /// queue and still has a seat at [`left_game_id`](Self::left_game_id).
    pub terms: Option<String>,
    /// Start of waiting.
    pub since: RecordTime,
    /// When the account accepts bots; `None` for never.
    pub bots_at: Option<RecordTime>,
    /// The table from which matchmaking moved the account, while its seat there is still taken.
    pub left_game_id: Option<GameId>,
}

/// A table with room at which accounts wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingTable {
    pub game: GameId,
    /// The number of accounts that wait there.
    pub waiting: i64,
    /// How many of them accept bots.
    pub accepting: i64,
}

impl WaitingTable {
    /// Whether bots may take seats there, sooner or later.
    pub fn accepts_bots(&self) -> bool {
        self.accepting == self.waiting
    }
}

/// An account that joins the queue at the table of its unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWaiting {
    pub account: AccountId,
    /// The match key, a hash of what is to be played.
    pub terms: String,
    /// Start of waiting.
    pub since: RecordTime,
    /// When the account accepts bots; `None` for never.
    pub bots_at: Option<RecordTime>,
}

/// The queue entry of an account.
pub fn find(conn: &mut Connection, account: &AccountId) -> Result<Option<WaitingRow>> {
    let query = matchmaking::table.find(account).select(WaitingRow::as_select());
    Ok(query.first(conn).optional()?)
}

/// The queue entries of a table, in the order of the accounts.
pub fn of_game(conn: &mut Connection, game: GameId) -> Result<Vec<WaitingRow>> {
    let query = matchmaking::table.filter(matchmaking::game_id.eq(game)).order(matchmaking::account_id);
    Ok(query.select(WaitingRow::as_select()).load(conn)?)
}

/// The tables with room for this match key, the oldest first: those where all accounts accept bots, or the others.
pub fn with_room(conn: &mut Connection, terms: &str, bots: bool) -> Result<Vec<GameId>> {
    let query = matchmaking::table
        .inner_join(games::table.on(games::id.eq(matchmaking::game_id)))
        .filter(matchmaking::terms.eq(terms))
        .filter(games::status.eq("lobby"))
        .filter(games::taken.lt(games::players))
        .group_by(matchmaking::game_id)
        .having(count_star().eq(count(matchmaking::bots_at)).eq(bots))
        .order((min(matchmaking::since), matchmaking::game_id))
        .select(matchmaking::game_id);
    Ok(query.load(conn)?)
}

/// Tables with room, without those in `skip`: a list for each match key, the oldest first.
pub fn open_tables(conn: &mut Connection, skip: &HashSet<GameId>) -> Result<Vec<Vec<WaitingTable>>> {
    let tables: Vec<(Option<String>, GameId, i64, i64)> = matchmaking::table
        .inner_join(games::table.on(games::id.eq(matchmaking::game_id)))
        .filter(matchmaking::terms.is_not_null())
        .filter(games::status.eq("lobby"))
        .filter(games::taken.lt(games::players))
        .filter(matchmaking::game_id.ne_all(skip.iter().copied()))
        .group_by((matchmaking::terms, matchmaking::game_id))
        .order((matchmaking::terms, min(matchmaking::since), matchmaking::game_id))
        .select((matchmaking::terms, matchmaking::game_id, count_star(), count(matchmaking::bots_at)))
        .load(conn)?;
    let table = |&(_, game, waiting, accepting): &_| WaitingTable { game, waiting, accepting };
    let same = tables.chunk_by(|(one, ..), (other, ..)| one == other);
    Ok(same.map(|tables| tables.iter().map(table).collect()).collect())
}

/// A table at which accounts wait, as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct WaitingQueue {
    pub game: GameId,
    pub ruleset: String,
    /// The number of seats.
    pub players: i32,
    /// The number of accounts that wait there.
    pub waiting: i64,
    /// How many of them accept bots.
    pub accepting: i64,
    /// Since when the first waits.
    pub since: RecordTime,
}

/// The tables at which accounts wait, the longest waiting first, at most `limit`.
pub fn queues(conn: &mut Connection, limit: i64) -> Result<Vec<WaitingQueue>> {
    let query = matchmaking::table
        .inner_join(games::table.on(games::id.eq(matchmaking::game_id)))
        .filter(matchmaking::terms.is_not_null())
        .filter(games::status.eq("lobby"))
        .group_by((games::id, games::ruleset, games::players))
        .order((min(matchmaking::since), games::id))
        .limit(limit)
        .select((
            games::id,
            games::ruleset,
            games::players,
            count_star(),
            count(matchmaking::bots_at),
            min(matchmaking::since).assume_not_null(),
        ));
    Ok(query.load(conn)?)
}

/// The number of accounts that wait for a table.
pub fn count_waiting(conn: &mut Connection) -> Result<i64> {
    Ok(matchmaking::table.filter(matchmaking::terms.is_not_null()).count().get_result(conn)?)
}

/// The accounts that were moved from a table and still have a seat there, with that table, without tables in `skip`.
pub fn unfinished_moves(conn: &mut Connection, skip: &HashSet<GameId>) -> Result<Vec<(AccountId, GameId)>> {
    let moved = matchmaking::table.filter(matchmaking::left_game_id.ne_all(skip.iter().copied()));
    let moved = moved.filter(matchmaking::left_game_id.is_not_null());
    Ok(moved.select((matchmaking::account_id, matchmaking::left_game_id.assume_not_null())).load(conn)?)
}

/// The accounts that were moved from this table and still have a seat there.
pub fn moved_from(conn: &mut Connection, game: GameId) -> Result<Vec<AccountId>> {
    let moved = matchmaking::table.filter(matchmaking::left_game_id.eq(game));
    Ok(moved.select(matchmaking::account_id).load(conn)?)
}

/// Whether a table is a matchmaking table that has not begun.
pub fn is_open(conn: &mut Connection, game: GameId) -> Result<bool> {
    let waits = matchmaking::game_id.eq(game).and(matchmaking::terms.is_not_null());
    let waiting = matchmaking::table.filter(waits.or(matchmaking::left_game_id.eq(game)));
    Ok(diesel::select(exists(waiting)).get_result::<bool>(conn)?)
}

/// When bots may fill a table: when all waiting accounts accept them. `None` if an account never does, or the
/// queue is empty.
pub fn bots_at(conn: &mut Connection, game: GameId) -> Result<Option<RecordTime>> {
    let rows: Vec<Option<RecordTime>> = matchmaking::table
        .filter(matchmaking::game_id.eq(game))
        .filter(matchmaking::terms.is_not_null())
        .select(matchmaking::bots_at)
        .load(conn)?;
    Ok(rows.into_iter().collect::<Option<Vec<RecordTime>>>().and_then(|times| times.into_iter().max()))
}

/// The tables that must advance by the time `by`, without those in `skip`: those that bots may fill, and full ones.
pub fn due(conn: &mut Connection, by: i64, skip: &HashSet<GameId>, limit: i64) -> Result<Vec<GameId>> {
    let mut due: Vec<GameId> = matchmaking::table
        .filter(matchmaking::terms.is_not_null())
        .filter(matchmaking::game_id.ne_all(skip.iter().copied()))
        .group_by(matchmaking::game_id)
        .having(count_star().eq(count(matchmaking::bots_at)))
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
pub fn forget(conn: &mut Connection, row: &WaitingRow) -> Result<()> {
    let same = matchmaking::table
        .find(&row.account_id)
        .filter(matchmaking::game_id.eq(row.game_id))
        .filter(matchmaking::since.eq(row.since));
    diesel::delete(same).execute(conn)?;
    Ok(())
}

/// Adds an account to the queue of a table.
pub(super) fn join(conn: &mut Connection, game: GameId, new: &NewWaiting) -> Result<()> {
    // An entry of a game that has begun no longer counts and is replaced.
    let begun = matchmaking::table
        .find(&new.account)
        .filter(matchmaking::terms.is_null())
        .filter(matchmaking::left_game_id.is_null());
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
pub(super) fn open(conn: &mut Connection, game: GameId, new: &NewWaiting, barred: &[GameId]) -> Result<()> {
    if !shared_work::lead(conn, OPENING)? {
        return Err(StoreError::QueueBusy);
    }
    if with_room(conn, &new.terms, new.bots_at.is_some())?.iter().any(|table| !barred.contains(table)) {
        return Err(StoreError::QueueBusy);
    }
    join(conn, game, new)
}

/// Moves an account that waits at another table to the queue of this one. Its seat there is still taken.
///
/// # Errors
/// [`StoreError::QueueBusy`] if the account does not wait there any more, or the table is full: it may begin.
pub(super) fn take_over(
    conn: &mut Connection,
    game: GameId,
    account: &AccountId,
    from: GameId,
) -> Result<()> {
    // Locks the row of the table, so that nobody fills it meanwhile.
    let has_room = games::table.find(from).filter(games::taken.lt(games::players));
    if diesel::update(has_room).set(games::players.eq(games::players)).execute(conn)? == 0 {
        return Err(StoreError::QueueBusy);
    }
    let waiting = matchmaking::table
        .find(account)
        .filter(matchmaking::game_id.eq(from))
        .filter(matchmaking::terms.is_not_null())
        .filter(matchmaking::left_game_id.is_null());
    let moved = diesel::update(waiting)
        .set((matchmaking::game_id.eq(game), matchmaking::left_game_id.eq(from)))
        .execute(conn)?;
    if moved == 1 { Ok(()) } else { Err(StoreError::QueueBusy) }
}

/// Records that an account has no seat any more at the table from which it was moved.
pub fn finish_move(conn: &mut Connection, account: &AccountId, from: GameId) -> Result<()> {
    let moved = matchmaking::table.find(account).filter(matchmaking::left_game_id.eq(from));
    // Of an account that left the queue meanwhile.
    diesel::delete(moved.filter(matchmaking::game_id.eq(from))).execute(conn)?;
    diesel::update(moved).set(matchmaking::left_game_id.eq(None::<GameId>)).execute(conn)?;
    Ok(())
}

/// Removes an account from a table's queue, or finishes its move to another table. If the account was moved to this table
/// and still has a seat at the former one, the entry stays without a match key until that seat is free.
pub(super) fn leave(conn: &mut Connection, game: GameId, account: &AccountId) -> Result<()> {
    let former = matchmaking::left_game_id.assume_not_null();
    let moving = matchmaking::table
        .find(account)
        .filter(matchmaking::game_id.eq(game))
        .filter(matchmaking::left_game_id.ne(game));
    let waiting = matchmaking::table.find(account).filter(matchmaking::game_id.eq(game));
    if diesel::update(moving)
        .set((matchmaking::terms.eq(None::<String>), matchmaking::game_id.eq(former)))
        .execute(conn)?
        == 0
        && diesel::delete(waiting).execute(conn)? == 0
    {
        finish_move(conn, account, game)?;
    }
    Ok(())
}

/// Refuses to go on with a table at which an account still has a seat that was moved to another table.
///
/// # Errors
/// [`StoreError::VersionConflict`].
pub(super) fn require_no_move(conn: &mut Connection, game: GameId) -> Result<()> {
    let moved = matchmaking::table.filter(matchmaking::left_game_id.eq(game));
    match diesel::select(exists(moved)).get_result(conn)? {
        true => Err(StoreError::VersionConflict { game }),
        false => Ok(()),
    }
}

/// Empties the queue of a table that has begun. This locks its rows, so that no account is moved from it meanwhile.
///
/// # Errors
/// Those of [`require_no_move`].
pub(super) fn begin(conn: &mut Connection, game: GameId) -> Result<()> {
    let there = matchmaking::table.filter(matchmaking::game_id.eq(game));
    diesel::update(there).set(matchmaking::terms.eq(None::<String>)).execute(conn)?;
    require_no_move(conn, game)
}

/// Deletes the queue entries of a game that is over, and finishes moves from it. Those of moves to it stay until they are
/// finished.
pub(super) fn end(conn: &mut Connection, game: GameId) -> Result<()> {
    let former = matchmaking::left_game_id.assume_not_null();
    let moving = matchmaking::game_id.eq(game).and(matchmaking::left_game_id.ne(game));
    diesel::update(matchmaking::table.filter(moving))
        .set((matchmaking::terms.eq(None::<String>), matchmaking::game_id.eq(former)))
        .execute(conn)?;
    diesel::delete(matchmaking::table.filter(matchmaking::game_id.eq(game))).execute(conn)?;
    let moved = matchmaking::table.filter(matchmaking::left_game_id.eq(game));
    diesel::update(moved).set(matchmaking::left_game_id.eq(None::<GameId>)).execute(conn)?;
    Ok(())
}
