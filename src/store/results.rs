//! What finished games count for accounts, and which games have been counted: in the order of the list of
//! ended games, each exactly once, by one node at a time.

use std::collections::HashSet;

use diesel::dsl::{count_star, max, sum};
use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::hash;
use super::leader;
use super::schema::{counted_games, ended_games, passed_over_games, results};

/// Under this number PostgreSQL keeps the lock of whoever counts games: the ASCII of "results".
const LEADER: i64 = 0x72_6573_756c_7473;

/// What a finished game counts for an account.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = results)]
pub struct ResultRow {
    /// The game.
    pub game_id: String,
    /// The account.
    pub account_id: String,
    /// The ruleset's id.
    pub ruleset: String,
    /// The game's place on the list of ended games.
    pub position: i64,
    /// Where the account sat.
    pub seat: i32,
    /// Its rank, from 1.
    pub rank: i32,
    /// The seat's final total.
    pub total: i32,
    /// How many rounds it played.
    pub rounds: i32,
    /// In how many of them it made its call.
    pub rounds_made: i32,
    /// 1 if it gave the game up, otherwise 0.
    pub forfeited: i32,
    /// When the game ended, in milliseconds since 1970 in UTC.
    pub ended_at: i64,
}

/// Results of an account that have ruleset, rank and forfeit in common, added up.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct ResultSum {
    /// The ruleset's id.
    pub ruleset: String,
    /// The rank.
    pub rank: i32,
    /// 1 for games it gave up, otherwise 0.
    pub forfeited: i32,
    /// How many games.
    pub games: i64,
    /// Their totals.
    pub total: Option<i64>,
    /// Their rounds.
    pub rounds: Option<i64>,
    /// The rounds in which it made its call.
    pub rounds_made: Option<i64>,
}

/// Whether this transaction may count games: at most one at a time may, until it ends.
///
/// # Errors
/// What asking met.
pub fn lead(conn: &mut Connection) -> Result<bool, StoreError> {
    leader::lead(conn, LEADER)
}

/// A game on the list of ended games, without what its line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPlace {
    /// Its place on the list, from 1.
    pub position: u64,
    /// The game.
    pub game: String,
}

impl ListedPlace {
    fn read((position, game): (i64, String)) -> Result<ListedPlace, StoreError> {
        Ok(ListedPlace { position: hash::from_stored(position)?, game })
    }
}

/// The place on the list of ended games up to which every game has been counted or passed over.
///
/// # Errors
/// What reading met.
pub fn settled_up_to(conn: &mut Connection) -> Result<u64, StoreError> {
    let counted: Option<i64> = counted_games::table.select(max(counted_games::position)).first(conn)?;
    let passed: Option<i64> =
        passed_over_games::table.select(max(passed_over_games::position)).first(conn)?;
    hash::from_stored(counted.max(passed).unwrap_or(0))
}

/// The next games to count, at most `limit`.
///
/// # Errors
/// What reading met.
pub fn uncounted(conn: &mut Connection, limit: i64) -> Result<Vec<ListedPlace>, StoreError> {
    let settled = hash::to_stored(settled_up_to(conn)?)?;
    let rows: Vec<(i64, String)> = ended_games::table
        .filter(ended_games::position.gt(settled))
        .order(ended_games::position)
        .limit(limit)
        .select((ended_games::position, ended_games::game_id))
        .load(conn)?;
    rows.into_iter().map(ListedPlace::read).collect()
}

/// Passes a game over: those behind it on the list may be counted before it.
///
/// # Errors
/// [`StoreError::Constraint`] where it was passed over before.
pub fn pass_over(conn: &mut Connection, place: &ListedPlace, at: i64) -> Result<(), StoreError> {
    diesel::insert_into(passed_over_games::table)
        .values((
            passed_over_games::position.eq(hash::to_stored(place.position)?),
            passed_over_games::game_id.eq(&place.game),
            passed_over_games::passed_over_at.eq(at),
        ))
        .execute(conn)?;
    Ok(())
}

/// The games that were passed over and have not been counted since, in the order of the list, without those to
/// skip.
///
/// # Errors
/// What reading met.
pub fn passed_over(conn: &mut Connection, skip: &HashSet<String>) -> Result<Vec<ListedPlace>, StoreError> {
    let rows: Vec<(i64, String)> = passed_over_games::table
        .filter(passed_over_games::counted_behind.is_null())
        .order(passed_over_games::position)
        .select((passed_over_games::position, passed_over_games::game_id))
        .load(conn)?;
    rows.into_iter().filter(|(_, game)| !skip.contains(game)).map(ListedPlace::read).collect()
}

/// Keeps that a game which was passed over is counted now. Returns whether it has to be: not where a node that
/// knows nothing of passing over, or another that was quicker, has counted it.
///
/// # Errors
/// What writing met.
pub fn take_up(conn: &mut Connection, place: &ListedPlace) -> Result<bool, StoreError> {
    let position = hash::to_stored(place.position)?;
    let settled = hash::to_stored(settled_up_to(conn)?)?;
    let open = passed_over_games::table.find(position).filter(passed_over_games::counted_behind.is_null());
    let taken = diesel::update(open).set(passed_over_games::counted_behind.eq(settled)).execute(conn)?;
    let counted = counted_games::table.find(position).select(counted_games::position);
    Ok(taken > 0 && counted.first::<i64>(conn).optional()?.is_none())
}

/// Keeps that a game has been counted.
///
/// # Errors
/// [`StoreError::Constraint`] where it, or another in its place, has been counted before.
pub fn mark_counted(
    conn: &mut Connection,
    position: u64,
    game: &str,
    kind: &str,
    at: i64,
) -> Result<(), StoreError> {
    diesel::insert_into(counted_games::table)
        .values((
            counted_games::position.eq(hash::to_stored(position)?),
            counted_games::game_id.eq(game),
            counted_games::kind.eq(kind),
            counted_games::counted_at.eq(at),
        ))
        .execute(conn)?;
    Ok(())
}

/// Keeps what a game counts for an account.
///
/// # Errors
/// What writing met.
pub fn insert(conn: &mut Connection, result: &ResultRow) -> Result<(), StoreError> {
    diesel::insert_into(results::table).values(result).execute(conn)?;
    Ok(())
}

/// What an account's games add up to.
///
/// # Errors
/// What reading met.
pub fn sums_of_account(conn: &mut Connection, account: &str) -> Result<Vec<ResultSum>, StoreError> {
    let query = results::table
        .filter(results::account_id.eq(account))
        .group_by((results::ruleset, results::rank, results::forfeited))
        .order((results::ruleset, results::rank))
        .select((
            results::ruleset,
            results::rank,
            results::forfeited,
            count_star(),
            sum(results::total),
            sum(results::rounds),
            sum(results::rounds_made),
        ));
    Ok(query.load(conn)?)
}

/// The results of an account, oldest first.
///
/// # Errors
/// What reading met.
pub fn of_account(conn: &mut Connection, account: &str) -> Result<Vec<ResultRow>, StoreError> {
    let query = results::table
        .filter(results::account_id.eq(account))
        .order(results::position)
        .select(ResultRow::as_select());
    Ok(query.load(conn)?)
}
