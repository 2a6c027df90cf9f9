//! Who sits where: places in order of sitting down, for people and bots.

use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::schema::game_players;

/// One taken place.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = game_players)]
pub struct PlayerRow {
    /// The game's id.
    pub game_id: String,
    /// The place, from 0.
    pub place: i32,
    /// The person's account id; `None` for a bot.
    pub account_id: Option<String>,
    /// `human` or `bot`.
    pub kind: String,
}

/// The taken places of a game, in order.
///
/// # Errors
/// What reading met.
pub fn of_game(conn: &mut Connection, game: &str) -> Result<Vec<PlayerRow>, StoreError> {
    of_games(conn, &[game])
}

/// The taken places of several games, by game and place.
///
/// # Errors
/// What reading met.
pub fn of_games(conn: &mut Connection, games: &[&str]) -> Result<Vec<PlayerRow>, StoreError> {
    let query = game_players::table
        .filter(game_players::game_id.eq_any(games.iter().copied()))
        .order((game_players::game_id, game_players::place))
        .select(PlayerRow::as_select());
    Ok(query.load(conn)?)
}

/// The places an account has taken in any game, by game.
///
/// # Errors
/// What reading met.
pub fn of_account(conn: &mut Connection, account: &str) -> Result<Vec<PlayerRow>, StoreError> {
    let query = game_players::table
        .filter(game_players::account_id.eq(account))
        .order((game_players::game_id, game_players::place))
        .select(PlayerRow::as_select());
    Ok(query.load(conn)?)
}

/// Whether an account has a place in any game.
///
/// # Errors
/// What reading met.
pub fn has_sat(conn: &mut Connection, account: &str) -> Result<bool, StoreError> {
    let places = game_players::table.filter(game_players::account_id.eq(account));
    Ok(places.select(game_players::place).first::<i32>(conn).optional()?.is_some())
}

pub(super) fn seat(
    conn: &mut Connection,
    game: &str,
    place: i32,
    account: Option<&str>,
    kind: &str,
) -> Result<(), StoreError> {
    diesel::insert_into(game_players::table)
        .values((
            game_players::game_id.eq(game),
            game_players::place.eq(place),
            game_players::account_id.eq(account),
            game_players::kind.eq(kind),
        ))
        .execute(conn)
        .map_err(|e| {
            StoreError::or_duplicate(e, || StoreError::PlaceTaken { game: game.to_owned(), place })
        })?;
    Ok(())
}

pub(super) fn unseat(conn: &mut Connection, game: &str, place: i32) -> Result<(), StoreError> {
    let gone = diesel::delete(game_players::table.find((game, place))).execute(conn)?;
    if gone == 0 { Err(StoreError::NotFound) } else { Ok(()) }
}
