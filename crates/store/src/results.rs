//! Results of finished games per account, and the games that were counted. Games are counted in the order of
//! the numbers of their signed ends, exactly once, by one node at a time.

use std::collections::{HashMap, HashSet};

use diesel::dsl::{count_star, max, min, sql, sum};
use diesel::prelude::*;
use diesel::sql_types::Bool;

use super::schema::{counted_games, ended_games, passed_over_games, results};
use super::{AccountId, Connection, GameId, RecordTime, Result, columns};

/// The result of a finished game for an account.
#[derive(Debug, Clone, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = results)]
pub struct ResultRow {
    pub game_id: GameId,
    pub account_id: AccountId,
    pub ruleset: String,
    /// The number of the game's signed end.
    pub number: i64,
    /// The account's seat.
    pub seat: i32,
    /// The rank, from 1.
    pub rank: i32,
    /// The final total.
    pub total: i32,
    /// The number of rounds played.
    pub rounds: i32,
    /// The number of rounds in which the account made its call.
    pub rounds_made: i32,
    /// Whether the account forfeited.
    pub forfeited: bool,
    pub ended_at: RecordTime,
}

/// The sums of an account's results with the same ruleset, rank and forfeit.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct ResultSum {
    pub ruleset: String,
    pub rank: i32,
    pub forfeited: bool,
    /// The number of games.
    pub games: i64,
    pub total: Option<i64>,
    pub rounds: Option<i64>,
    /// The sum of the rounds in which the account made its call.
    pub rounds_made: Option<i64>,
}

/// A game with a signed end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncountedGame {
    /// The number of the signed end, from 1.
    pub number: u64,
    pub game: GameId,
}

impl UncountedGame {
    fn read((number, game): (i64, GameId)) -> Result<UncountedGame> {
        Ok(UncountedGame { number: columns::from_stored(number)?, game })
    }
}

/// The number up to which every game was counted or skipped.
pub fn settled_up_to(conn: &mut Connection) -> Result<u64> {
    let counted: Option<i64> = counted_games::table.select(max(counted_games::number)).first(conn)?;
    let passed: Option<i64> = passed_over_games::table.select(max(passed_over_games::number)).first(conn)?;
    columns::from_stored(counted.max(passed).unwrap_or(0))
}

/// The next games to count, at most `limit`.
pub fn uncounted(conn: &mut Connection, limit: i64) -> Result<Vec<UncountedGame>> {
    let settled = columns::to_stored(settled_up_to(conn)?)?;
    let rows: Vec<(i64, GameId)> = ended_games::table
        .filter(ended_games::number.gt(settled))
        .order(ended_games::number)
        .limit(limit)
        .select((ended_games::number, ended_games::game_id))
        .load(conn)?;
    rows.into_iter().map(UncountedGame::read).collect()
}

/// Skips a game, so that later games can be counted before it.
///
/// # Errors
/// [`StoreError::Constraint`](crate::StoreError::Constraint) when it was skipped before.
pub fn skip(conn: &mut Connection, uncounted: &UncountedGame, at: i64) -> Result<()> {
    diesel::insert_into(passed_over_games::table)
        .values((
            passed_over_games::number.eq(columns::to_stored(uncounted.number)?),
            passed_over_games::game_id.eq(uncounted.game),
            passed_over_games::passed_over_at.eq(at),
        ))
        .execute(conn)?;
    Ok(())
}

/// The games that were skipped and not counted since, in the order of their numbers, without those in `skip`.
pub fn skipped(conn: &mut Connection, skip: &HashSet<GameId>) -> Result<Vec<UncountedGame>> {
    let rows: Vec<(i64, GameId)> = passed_over_games::table
        .filter(passed_over_games::counted_behind.is_null())
        .order(passed_over_games::number)
        .select((passed_over_games::number, passed_over_games::game_id))
        .load(conn)?;
    rows.into_iter().filter(|(_, game)| !skip.contains(game)).map(UncountedGame::read).collect()
}

/// Records that a skipped game is counted now. Returns false when another node has already counted it.
pub fn claim_skipped(conn: &mut Connection, uncounted: &UncountedGame) -> Result<bool> {
    let number = columns::to_stored(uncounted.number)?;
    let settled = columns::to_stored(settled_up_to(conn)?)?;
    let open = passed_over_games::table.find(number).filter(passed_over_games::counted_behind.is_null());
    let taken = diesel::update(open).set(passed_over_games::counted_behind.eq(settled)).execute(conn)?;
    let counted = counted_games::table.find(number).select(counted_games::number);
    Ok(taken > 0 && counted.first::<i64>(conn).optional()?.is_none())
}

/// Records that a game was counted. `absent` has a bit for each seat whose account no longer existed.
///
/// # Errors
/// [`StoreError::Constraint`](crate::StoreError::Constraint) when the game or its number was counted before.
pub fn mark_counted(
    conn: &mut Connection,
    number: u64,
    game: GameId,
    kind: &str,
    absent: i32,
    at: i64,
) -> Result<()> {
    diesel::insert_into(counted_games::table)
        .values((
            counted_games::number.eq(columns::to_stored(number)?),
            counted_games::game_id.eq(game),
            counted_games::kind.eq(kind),
            counted_games::absent.eq(absent),
            counted_games::counted_at.eq(at),
        ))
        .execute(conn)?;
    Ok(())
}

pub fn insert(conn: &mut Connection, result: &ResultRow) -> Result<()> {
    diesel::insert_into(results::table).values(result).execute(conn)?;
    Ok(())
}

/// The sums of an account's results.
pub fn sums_of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<ResultSum>> {
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
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<ResultRow>> {
    let query = ResultRow::query().filter(results::account_id.eq(account)).order(results::number);
    Ok(query.load(conn)?)
}

/// A game that was counted, in the order of counting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedGame {
    /// The number of the game's signed end.
    pub number: i64,
    pub game: GameId,
    /// `rated`, `unrated` or `abandoned`.
    pub kind: String,
    pub counted_at: i64,
    /// The seats whose accounts no longer existed, as bits.
    pub absent: i32,
}

/// All counted games, in the order in which they were counted. A skipped game comes after the games that were settled
/// when it was counted.
pub fn in_order_of_counting(conn: &mut Connection) -> Result<Vec<CountedGame>> {
    type Row = (i64, GameId, String, i64, i32);
    let skipped: Vec<(i64, Option<i64>)> = passed_over_games::table
        .select((passed_over_games::number, passed_over_games::counted_behind))
        .load(conn)?;
    let behind: HashMap<i64, i64> =
        skipped.into_iter().filter_map(|(number, behind)| Some((number, behind?))).collect();
    let columns = (
        counted_games::number,
        counted_games::game_id,
        counted_games::kind,
        counted_games::counted_at,
        counted_games::absent,
    );
    let rows: Vec<Row> = counted_games::table.order(counted_games::number).select(columns).load(conn)?;
    let counted =
        |(number, game, kind, counted_at, absent)| CountedGame { number, game, kind, counted_at, absent };
    let mut games: Vec<CountedGame> = rows.into_iter().map(counted).collect();
    games.sort_by_key(|game| match behind.get(&game.number) {
        None => (game.number, 0, game.number),
        Some(behind) => (*behind, game.counted_at, game.number),
    });
    Ok(games)
}

/// The games with a signed end that should be settled, and were neither counted nor skipped.
pub fn unsettled(conn: &mut Connection, limit: i64) -> Result<Vec<(i64, String)>> {
    let settled = columns::to_stored(settled_up_to(conn)?)?;
    let query = ended_games::table
        .filter(ended_games::number.le(settled))
        .filter(sql::<Bool>(
            "NOT EXISTS (SELECT 1 FROM counted_games c WHERE c.number = ended_games.number \
             AND c.game_id = ended_games.game_id) AND NOT EXISTS (SELECT 1 FROM passed_over_games p \
             WHERE p.number = ended_games.number AND p.game_id = ended_games.game_id \
             AND p.counted_behind IS NULL)",
        ))
        .order(ended_games::number)
        .limit(limit)
        .select((ended_games::number, ended_games::game_id));
    Ok(query.load(conn)?)
}

/// When the first game was counted.
pub fn first_counted(conn: &mut Connection) -> Result<Option<i64>> {
    Ok(counted_games::table.select(min(counted_games::counted_at)).first(conn)?)
}

/// The results of a game, by account.
pub fn of_game(conn: &mut Connection, game: GameId) -> Result<Vec<ResultRow>> {
    let query = ResultRow::query().filter(results::game_id.eq(game)).order(results::account_id);
    Ok(query.load(conn)?)
}

/// Games and accounts of results whose game was not counted.
pub fn uncounted_results(conn: &mut Connection, limit: i64) -> Result<Vec<(String, String)>> {
    let query = results::table
        .filter(sql::<Bool>("NOT EXISTS (SELECT 1 FROM counted_games c WHERE c.game_id = results.game_id)"))
        .limit(limit)
        .select((results::game_id, results::account_id));
    Ok(query.load(conn)?)
}
