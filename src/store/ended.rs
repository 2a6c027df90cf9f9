//! The list of ended games: one after the other, chained, and never changed. One node at a time adds to it.

use std::collections::HashSet;

use diesel::prelude::*;

use super::connection::Connection;
use super::error::StoreError;
use super::hash::{self, Hash};
use super::leader;
use super::schema::{ended_games, games};

/// Under this number PostgreSQL keeps the lock of whoever adds to the list: the ASCII of "ended".
const LEADER: i64 = 0x65_6e64_6564;

/// A game on the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedGame {
    /// Its place on the list, from 1.
    pub position: u64,
    /// The game.
    pub game: String,
    /// How many events it has.
    pub events: u64,
    /// The hash of the last of them.
    pub head: Hash,
    /// The hash of the list's own chain at it.
    pub chain: Hash,
    /// The id of the key its end was signed with.
    pub kid: String,
    /// The signature.
    pub signature: [u8; 64],
    /// When it was listed, in milliseconds since 1970 in UTC.
    pub listed_at: i64,
}

type Row = (i64, String, i64, Vec<u8>, Vec<u8>, String, Vec<u8>, i64);

impl EndedGame {
    fn read(row: Row) -> Result<EndedGame, StoreError> {
        let (position, game, events, head, chain, kid, signature, listed_at) = row;
        let length = signature.len();
        let signature = signature.try_into().map_err(|_| StoreError::Corrupt {
            detail: format!("the signature of game {game} has {length} bytes instead of 64"),
        })?;
        Ok(EndedGame {
            position: hash::from_stored(position)?,
            game,
            events: hash::from_stored(events)?,
            head: hash::read(&head)?,
            chain: hash::read(&chain)?,
            kid,
            signature,
            listed_at,
        })
    }
}

/// Games that are over and not on the list, in the order in which they ended, at most `limit`, without those to
/// skip.
///
/// # Errors
/// What reading met.
pub fn unlisted(
    conn: &mut Connection,
    skip: &HashSet<String>,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let query = games::table
        .filter(games::ended_at.is_not_null())
        .filter(games::listed_at.is_null())
        .order((games::ended_at, games::id))
        .limit((limit + skip.len()) as i64)
        .select(games::id);
    Ok(without(skip, limit, query.load(conn)?))
}

/// The first of these that are not to be skipped, at most `limit`. Of as many more as are to be skipped, no more are
/// needed.
pub(super) fn without(skip: &HashSet<String>, limit: usize, games: Vec<String>) -> Vec<String> {
    games.into_iter().filter(|game| !skip.contains(game)).take(limit).collect()
}

/// Where the list ends: the last position, and the hash of the list's chain there; `None` while it is empty.
///
/// # Errors
/// What reading met.
pub fn end(conn: &mut Connection) -> Result<Option<(u64, Hash)>, StoreError> {
    let last = ended_games::table
        .order(ended_games::position.desc())
        .select((ended_games::position, ended_games::chain));
    let row: Option<(i64, Vec<u8>)> = last.first(conn).optional()?;
    row.map(|(position, chain)| Ok((hash::from_stored(position)?, hash::read(&chain)?))).transpose()
}

/// The list after a position, at most `limit` games.
///
/// # Errors
/// What reading met.
pub fn after(conn: &mut Connection, position: u64, limit: i64) -> Result<Vec<EndedGame>, StoreError> {
    let rows: Vec<Row> = ended_games::table
        .filter(ended_games::position.gt(hash::to_stored(position)?))
        .order(ended_games::position)
        .limit(limit)
        .load(conn)?;
    rows.into_iter().map(EndedGame::read).collect()
}

/// A game on the list, if it is there.
///
/// # Errors
/// What reading met.
pub fn find(conn: &mut Connection, game: &str) -> Result<Option<EndedGame>, StoreError> {
    let row: Option<Row> = ended_games::table.filter(ended_games::game_id.eq(game)).first(conn).optional()?;
    row.map(EndedGame::read).transpose()
}

/// Whether this transaction may add to the list: at most one at a time may, until it ends.
///
/// # Errors
/// What asking met.
pub fn lead(conn: &mut Connection) -> Result<bool, StoreError> {
    leader::lead(conn, LEADER)
}

/// Adds a game to the list, at the position it says.
///
/// # Errors
/// [`StoreError::Constraint`] where the position or the game is on the list already.
pub fn add(conn: &mut Connection, ended: &EndedGame) -> Result<(), StoreError> {
    diesel::insert_into(ended_games::table)
        .values((
            ended_games::position.eq(hash::to_stored(ended.position)?),
            ended_games::game_id.eq(&ended.game),
            ended_games::events.eq(hash::to_stored(ended.events)?),
            ended_games::head.eq(&ended.head[..]),
            ended_games::chain.eq(&ended.chain[..]),
            ended_games::kid.eq(&ended.kid),
            ended_games::signature.eq(&ended.signature[..]),
            ended_games::listed_at.eq(ended.listed_at),
        ))
        .execute(conn)?;
    diesel::update(games::table.find(&ended.game)).set(games::listed_at.eq(ended.listed_at)).execute(conn)?;
    Ok(())
}
