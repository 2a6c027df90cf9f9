//! The formats of games. A node writes a new format only while every live node knows it, and refuses games in formats that
//! it does not know.

use diesel::prelude::*;

use super::schema::game_formats;
use super::{Connection, GameId, Result, StoreError};

/// The first format. Its games have no row.
pub const FIRST: i32 = 1;

/// The format of a game.
pub fn of(conn: &mut Connection, game: GameId) -> Result<i32> {
    let found: Option<i32> =
        game_formats::table.find(game).select(game_formats::format).first(conn).optional()?;
    Ok(found.unwrap_or(FIRST))
}

/// The newest format of all games.
pub fn newest(conn: &mut Connection) -> Result<i32> {
    let newest: Option<i32> =
        game_formats::table.select(diesel::dsl::max(game_formats::format)).first(conn)?;
    Ok(newest.unwrap_or(FIRST))
}

/// Refuses a database with a game in a format that a program does not know.
///
/// # Errors
/// [`StoreError::NewerGames`].
pub fn refuse_newer(conn: &mut Connection, known: i32) -> Result<()> {
    match newest(conn)? {
        format if format > known => Err(StoreError::NewerGames { format, known }),
        _ => Ok(()),
    }
}

/// Records the format of a new game.
pub(super) fn insert(conn: &mut Connection, game: GameId, format: i32) -> Result<()> {
    if format != FIRST {
        let row = (game_formats::game_id.eq(game), game_formats::format.eq(format));
        diesel::insert_into(game_formats::table).values(row).execute(conn)?;
    }
    Ok(())
}
