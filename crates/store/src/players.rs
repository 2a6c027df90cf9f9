//! The places of each game and the players and bots in them.

use diesel::dsl::{exists, not, sql};
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::games::OPEN;
use super::schema::{accounts, game_players, games};
use super::{AccountId, Connection, GameId, Result, StoreError};

/// An occupied place.
#[derive(Debug, Clone, PartialEq, Eq, HasQuery)]
#[diesel(table_name = game_players)]
pub struct PlayerRow {
    pub game_id: GameId,
    /// The place, from 0.
    pub place: i32,
    /// `None` for a bot.
    pub account_id: Option<AccountId>,
    /// `human` or `bot`.
    pub kind: String,
}

/// The occupied places of a game, in order.
pub fn of_game(conn: &mut Connection, game: GameId) -> Result<Vec<PlayerRow>> {
    of_games(conn, &[game])
}

/// The occupied places of several games, by game and place.
pub fn of_games(conn: &mut Connection, games: &[GameId]) -> Result<Vec<PlayerRow>> {
    let query = PlayerRow::query()
        .filter(game_players::game_id.eq_any(games.iter().copied()))
        .order((game_players::game_id, game_players::place));
    Ok(query.load(conn)?)
}

/// The places of an account in all games, by game.
pub fn of_account(conn: &mut Connection, account: &AccountId) -> Result<Vec<PlayerRow>> {
    let query = PlayerRow::query()
        .filter(game_players::account_id.eq(account))
        .order((game_players::game_id, game_players::place));
    Ok(query.load(conn)?)
}

/// The maximum number of accounts per statement.
const TOGETHER: usize = 1_000;

/// The accounts that were seated within the last `milliseconds` in games that are not over, as pairs
/// of account and game. Costs one index lookup per account, however many places it has.
pub fn recently_seated(
    conn: &mut Connection,
    accounts: &[AccountId],
    milliseconds: i64,
) -> Result<Vec<(AccountId, GameId)>> {
    let since = conn.now()?.saturating_sub(milliseconds);
    let mut seated = Vec::new();
    for accounts in accounts.chunks(TOGETHER) {
        let query = game_players::table
            .inner_join(games::table.on(games::id.eq(game_players::game_id)))
            .filter(game_players::account_id.eq_any(accounts))
            .filter(game_players::seated_at.gt(since))
            .filter(games::status.eq_any(OPEN))
            .select((game_players::account_id.assume_not_null(), game_players::game_id));
        seated.extend(query.load::<(AccountId, GameId)>(conn)?);
    }
    Ok(seated)
}

/// A place in a game that is not over, of an account that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct OrphanedPlace {
    pub game: GameId,
    /// The place, from 0.
    pub place: i32,
    /// The id of the deleted account.
    pub account: AccountId,
}

/// The places of deleted accounts in games that are not over, by game and place, after one of them.
pub fn orphaned(
    conn: &mut Connection,
    behind: Option<&OrphanedPlace>,
    limit: i64,
) -> Result<Vec<OrphanedPlace>> {
    let account = game_players::account_id.assume_not_null();
    let owner = accounts::table.filter(accounts::id.eq(account)).select(accounts::id);
    let (game, place) = behind.map_or((GameId::default(), -1), |behind| (behind.game, behind.place));
    let query = game_players::table
        .inner_join(games::table.on(games::id.eq(game_players::game_id)))
        .filter(games::status.eq_any(OPEN))
        .filter(game_players::account_id.is_not_null())
        .filter(not(exists(owner)))
        .filter(game_players::game_id.ge(game))
        .filter(game_players::game_id.gt(game).or(game_players::place.gt(place)))
        .order((game_players::game_id, game_players::place))
        .limit(limit)
        .select((game_players::game_id, game_players::place, account));
    Ok(query.load(conn)?)
}

/// The other accounts in the last `games` games of an account that are over, those of the latest first. Deleted accounts are
/// left out.
pub fn recent_company(conn: &mut Connection, account: &AccountId, games: i64) -> Result<Vec<AccountId>> {
    let own = game_players::table
        .inner_join(games::table.on(games::id.eq(game_players::game_id)))
        .filter(game_players::account_id.eq(account))
        .filter(games::ended_at.is_not_null())
        .order(game_players::game_id.desc())
        .limit(games)
        .select(games::id);
    let last: Vec<GameId> = own.load(conn)?;
    let company = game_players::table
        .inner_join(accounts::table.on(accounts::id.nullable().eq(game_players::account_id)))
        .filter(game_players::game_id.eq_any(last))
        .filter(accounts::id.ne(account))
        .order((game_players::game_id.desc(), game_players::place))
        .select(accounts::id);
    let mut found: Vec<AccountId> = Vec::new();
    for account in company.load(conn)? {
        if !found.contains(&account) {
            found.push(account);
        }
    }
    Ok(found)
}

/// Whether an account has a place in any game.
pub fn has_sat(conn: &mut Connection, account: &AccountId) -> Result<bool> {
    let places = game_players::table.filter(game_players::account_id.eq(account));
    Ok(places.select(game_players::place).first::<i32>(conn).optional()?.is_some())
}

pub(super) fn seat(
    conn: &mut Connection,
    game: GameId,
    place: i32,
    account: Option<&AccountId>,
    kind: &str,
) -> Result<()> {
    diesel::insert_into(game_players::table)
        .values((
            game_players::game_id.eq(game),
            game_players::place.eq(place),
            game_players::account_id.eq(account),
            game_players::kind.eq(kind),
            game_players::seated_at.eq(sql::<BigInt>(conn.clock())),
        ))
        .execute(conn)
        .map_err(|e| StoreError::or_duplicate(e, || StoreError::PlaceTaken { game, place }))?;
    Ok(())
}

pub(super) fn unseat(conn: &mut Connection, game: GameId, place: i32) -> Result<()> {
    let gone = diesel::delete(game_players::table.find((game, place))).execute(conn)?;
    if gone == 0 { Err(StoreError::NotFound) } else { Ok(()) }
}
