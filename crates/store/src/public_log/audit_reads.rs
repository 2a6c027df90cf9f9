//! What the public log has of each game, for audits.

use diesel::prelude::*;

use super::games::{Promise, exactly, read_promise};
use super::tree::Tree;
use crate::schema::{log_games, log_pseudonyms, log_tiles, log_tree};
use crate::{Connection, GameId, Result, StoreError, columns};

/// What the public log has of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogGame {
    /// None for a game that did not start.
    pub start: Option<LoggedStart>,
    /// The end entry, not sealed, and the salt of a sealed one; none before the log got it.
    pub end: Option<(String, Option<[u8; 32]>)>,
    /// The log and the position of the start in it; none while it waits.
    pub start_position: Option<(i32, u64)>,
    /// The log and the position of the end in it; none while it waits.
    pub end_position: Option<(i32, u64)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedStart {
    /// The start entry, not sealed.
    pub entry: String,
    /// The salt of a sealed entry.
    pub salt: Option<[u8; 32]>,
    pub promise: Promise,
}

/// The last id of a page, and what the log has of its games by id as stored. A damaged row is an error of its own.
pub type Page = (String, Vec<(String, Result<LogGame, StoreError>)>);

type Row = (
    String,
    Option<String>,
    Option<Vec<u8>>,
    Option<i32>,
    Option<i64>,
    Option<Vec<u8>>,
    Option<i64>,
    Option<String>,
    Option<Vec<u8>>,
    Option<String>,
    Option<Vec<u8>>,
    Option<i32>,
    Option<i64>,
);

impl LogGame {
    fn read(row: Row) -> Result<LogGame> {
        let (
            game,
            start,
            start_salt,
            start_log,
            start_position,
            leaf,
            by,
            kid,
            promise,
            end,
            end_salt,
            end_log,
            end_position,
        ) = row;
        let salt = |salt: Option<Vec<u8>>| salt.map(|salt| exactly(&game, salt)).transpose();
        let start = match (start, read_promise(&game, (leaf, by, kid, promise))?) {
            (Some(entry), Some(promise)) => Some(LoggedStart { entry, salt: salt(start_salt)?, promise }),
            (None, None) => None,
            _ => {
                let detail = format!("the public log has a start of the game {game} without a promise");
                return Err(StoreError::Corrupt { detail });
            }
        };
        let end = end.map(|end| Ok::<_, StoreError>((end, salt(end_salt)?))).transpose()?;
        let place = |log: Option<i32>, position: Option<i64>| {
            Ok::<_, StoreError>(log.zip(position.map(columns::from_stored).transpose()?))
        };
        Ok(LogGame {
            start,
            end,
            start_position: place(start_log, start_position)?,
            end_position: place(end_log, end_position)?,
        })
    }
}

/// What the log has of a game, if anything.
pub fn find(conn: &mut Connection, game: GameId) -> Result<Option<LogGame>> {
    let row: Option<Row> = log_games::table.find(game).first(conn).optional()?;
    row.map(LogGame::read).transpose()
}

/// The next games after an id as stored, at most `limit`; none at the end.
pub fn page(conn: &mut Connection, after: &str, limit: i64) -> Result<Option<Page>> {
    let query = log_games::table.filter(log_games::game_id.gt(after)).order(log_games::game_id).limit(limit);
    let rows: Vec<Row> = query.load(conn)?;
    let Some(last) = rows.last().map(|row| row.0.clone()) else { return Ok(None) };
    Ok(Some((last, rows.into_iter().map(|row| (row.0.clone(), LogGame::read(row))).collect())))
}

/// The salts of the pseudonyms in a game, by account id as stored.
pub fn salts_of_game(conn: &mut Connection, game: GameId) -> Result<Vec<(String, [u8; 32])>> {
    let query = log_pseudonyms::table
        .filter(log_pseudonyms::game_id.eq(game))
        .select((log_pseudonyms::account_id, log_pseudonyms::salt));
    let rows: Vec<(String, Vec<u8>)> = query.load(conn)?;
    rows.into_iter().map(|(account, salt)| Ok((account, exactly(&game.to_string(), salt)?))).collect()
}

/// All logs, oldest first.
pub fn logs(conn: &mut Connection) -> Result<Vec<Tree>> {
    Ok(log_tree::table.order(log_tree::id).load(conn)?)
}

/// The number of stored tiles of a log.
pub fn count_tiles(conn: &mut Connection, log: i32) -> Result<u64> {
    columns::from_stored(log_tiles::table.filter(log_tiles::log.eq(log)).count().get_result(conn)?)
}
