//! Rows that name a game without a row of its own, and the newest event that other tables know of each game. For audits.

use diesel::dsl::{max, min, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;

use super::schema::{
    adopted_heads, break_offs, counted_games, ended_games, game_events, game_players, game_seeds,
    game_snapshots, idempotency_keys, log_games, log_pseudonyms, looks, packed_games, passed_over_games,
    refused_games, results,
};
use super::{Connection, GameId, Result};

/// A database table and the id of a game, as stored, that has rows there and none in `games`.
pub type ForeignGame = (&'static str, String);

/// The games in these tables that have no row, at most `limit` for each table.
pub fn without_game(conn: &mut Connection, limit: i64) -> Result<Vec<ForeignGame>> {
    let mut foreign = Vec::new();
    macro_rules! look_in {
        ($($table:ident)+) => {$(
            let orphaned = sql::<Bool>("NOT EXISTS (SELECT 1 FROM games g WHERE g.id = game_id)");
            let query = $table::table.filter(orphaned).select($table::game_id).distinct().limit(limit);
            let games: Vec<String> = query.load(conn)?;
            foreign.extend(games.into_iter().map(|game| (stringify!($table), game)));
        )+};
    }
    look_in!(ended_games packed_games game_players game_seeds game_snapshots adopted_heads break_offs counted_games passed_over_games refused_games results looks log_games log_pseudonyms);
    Ok(foreign)
}

/// The next game, by id as stored, that has rows in the log. Costs one index lookup.
pub fn next_in_log(conn: &mut Connection, after: &str) -> Result<Option<String>> {
    let query = game_events::table.filter(game_events::game_id.gt(after)).select(min(game_events::game_id));
    Ok(query.first(conn)?)
}

/// Whether a game has rows in the log that are not packed.
pub fn has_events(conn: &mut Connection, game: GameId) -> Result<bool> {
    let query = game_events::table.filter(game_events::game_id.eq(game)).select(game_events::seq);
    Ok(query.first::<i64>(conn).optional()?.is_some())
}

/// The newest event of each game that an answered request or an access of an auditor names.
pub fn newest_named_events(conn: &mut Connection) -> Result<Vec<(&'static str, String, i64)>> {
    let answered: Vec<(Option<String>, Option<i64>)> = idempotency_keys::table
        .group_by(idempotency_keys::game_id)
        .select((idempotency_keys::game_id, max(idempotency_keys::last_seq)))
        .load(conn)?;
    let accessed: Vec<(String, Option<i64>)> =
        looks::table.group_by(looks::game_id).select((looks::game_id, max(looks::version))).load(conn)?;
    let answered = answered.into_iter().filter_map(|(game, seq)| Some(("an answered request", game?, seq?)));
    let accessed =
        accessed.into_iter().filter_map(|(game, seq)| Some(("an access of an auditor", game, seq?)));
    Ok(answered.chain(accessed).collect())
}
