//! Games that are over and whose end a node refused to sign, for the operator.

use diesel::prelude::*;

use super::connection::insert_if_absent;
use super::schema::{games, refused_games};
use super::{Connection, GameId, Result, ended_games};

/// A game whose end is not signed.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct RefusedGame {
    /// The id as stored.
    pub game: String,
    /// A word that does not change.
    pub reason: String,
    /// What was found.
    pub detail: String,
    /// When a node refused the game first, in milliseconds since 1970 in UTC.
    pub first_seen_at: i64,
}

/// Records why a game is refused, or another reason than before. Does nothing if its end is signed.
pub fn record(conn: &mut Connection, game: GameId, (reason, detail): (&str, &str), now: i64) -> Result<()> {
    ended_games::hold_off(conn)?;
    let unsigned = games::table.find(game).filter(games::signed_at.is_null());
    if !diesel::select(diesel::dsl::exists(unsigned)).get_result(conn)? {
        return Ok(());
    }
    let found = (refused_games::reason.eq(reason), refused_games::detail.eq(detail));
    if diesel::update(refused_games::table.find(game)).set(found).execute(conn)? == 0 {
        let columns = (refused_games::game_id.eq(game), found, refused_games::first_seen_at.eq(now));
        // The lock is shared: another node may have recorded the game since the update.
        insert_if_absent!(conn, refused_games::table, columns);
    }
    Ok(())
}

/// Deletes what was recorded of games whose ends are signed now.
pub fn forget(conn: &mut Connection, games: &[GameId]) -> Result<()> {
    diesel::delete(refused_games::table.filter(refused_games::game_id.eq_any(games))).execute(conn)?;
    Ok(())
}

/// All refused games, the first one first.
pub fn all(conn: &mut Connection) -> Result<Vec<RefusedGame>> {
    let order = (refused_games::first_seen_at, refused_games::game_id);
    Ok(refused_games::table.order(order).load(conn)?)
}
