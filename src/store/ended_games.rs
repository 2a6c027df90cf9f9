//! The transparency log of ended games: append-only entries in a hash chain. One node at a time adds to it.

use std::collections::HashSet;

use diesel::prelude::*;

use super::schema::{ended_games, games, list_end};
use super::{Connection, GameId, Hash, StoreError, hash, leader};

/// PostgreSQL's lock number for adding to the log: ASCII "ended".
const LEADER: i64 = 0x65_6e64_6564;

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedGame {
    /// Its position, from 1.
    pub position: u64,
    pub game: GameId,
    /// The number of the game's events.
    pub events: u64,
    /// The hash of the game's last event.
    pub head: Hash,
    /// The hash of the log's own chain at this entry.
    pub chain: Hash,
    /// The id of the key that signed the game's end.
    pub kid: String,
    pub signature: [u8; 64],
    /// Milliseconds since 1970 in UTC.
    pub listed_at: i64,
}

type Row = (i64, String, i64, Vec<u8>, Vec<u8>, String, Vec<u8>, i64);

impl EndedGame {
    fn read(row: Row) -> Result<EndedGame, StoreError> {
        let (position, game, events, head, chain, kid, signature, listed_at) = row;
        let game =
            game.parse().map_err(|_| StoreError::Corrupt { detail: format!("{game:?} is no game") })?;
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

/// Ended games that are not in the log, in order of their end, at most `limit`, without those in `skip`.
pub fn unlisted(
    conn: &mut Connection,
    skip: &HashSet<GameId>,
    limit: usize,
) -> Result<Vec<GameId>, StoreError> {
    let query = games::table
        .filter(games::ended_at.is_not_null())
        .filter(games::listed_at.is_null())
        .order((games::ended_at, games::id))
        .limit((limit + skip.len()) as i64)
        .select(games::id);
    Ok(without(skip, limit, query.load(conn)?))
}

/// The first `limit` games that are not in `skip`. The caller need not fetch more than `limit + skip.len()`
/// games.
pub(super) fn without(skip: &HashSet<GameId>, limit: usize, games: Vec<GameId>) -> Vec<GameId> {
    games.into_iter().filter(|game| !skip.contains(game)).take(limit).collect()
}

/// The log's last position and chain hash; `None` while it is empty.
pub fn end(conn: &mut Connection) -> Result<Option<(u64, Hash)>, StoreError> {
    let last = ended_games::table
        .order(ended_games::position.desc())
        .select((ended_games::position, ended_games::chain));
    let row: Option<(i64, Vec<u8>)> = last.first(conn).optional()?;
    row.map(|(position, chain)| Ok((hash::from_stored(position)?, hash::read(&chain)?))).transpose()
}

/// The last position that is published, and the chain hash there. The public log has the ends of later games.
pub fn published_end(conn: &mut Connection) -> Result<Option<(u64, Hash)>, StoreError> {
    let published: i64 = list_end::table.select(list_end::published).first(conn)?;
    let chain = ended_games::table.filter(ended_games::position.eq(published)).select(ended_games::chain);
    let chain: Option<Vec<u8>> = chain.first(conn).optional()?;
    chain.map(|chain| Ok((hash::from_stored(published)?, hash::read(&chain)?))).transpose()
}

/// The last position that is published; 0 for none.
pub fn published(conn: &mut Connection) -> Result<u64, StoreError> {
    hash::from_stored(list_end::table.select(list_end::published).first(conn)?)
}

/// An ended game whose end is not queued for the public log yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlogged {
    pub game: GameId,
    pub events: u64,
    /// The hash of the game's last event.
    pub head: Hash,
    pub visibility: String,
}

/// The entries of the list that are not queued for the public log yet, at most `limit`. Counts them as queued. A damaged
/// row is an error of its own.
pub fn take_unlogged(
    conn: &mut Connection,
    limit: i64,
) -> Result<Vec<Result<Unlogged, StoreError>>, StoreError> {
    let logged: i64 = list_end::table.select(list_end::logged).first(conn)?;
    type Row = (i64, GameId, i64, Vec<u8>, String);
    let rows: Vec<Row> = ended_games::table
        .inner_join(games::table.on(games::id.eq(ended_games::game_id)))
        .filter(ended_games::position.gt(logged))
        .order(ended_games::position)
        .limit(limit)
        .select((ended_games::position, games::id, ended_games::events, ended_games::head, games::visibility))
        .load(conn)?;
    if let Some((last, ..)) = rows.last() {
        diesel::update(list_end::table).set(list_end::logged.eq(last)).execute(conn)?;
    }
    let read = |(_, game, events, head, visibility): Row| {
        Ok(Unlogged { game, events: hash::from_stored(events)?, head: hash::read(&head)?, visibility })
    };
    Ok(rows.into_iter().map(read).collect())
}

/// A position, and the row there if it can be read.
pub type StoredEntry = (u64, Result<EndedGame, StoreError>);

/// The rows after a position, at most `limit`, each with its position. A damaged row does not affect the others.
pub fn after(conn: &mut Connection, position: u64, limit: i64) -> Result<Vec<StoredEntry>, StoreError> {
    let rows: Vec<Row> = ended_games::table
        .filter(ended_games::position.gt(hash::to_stored(position)?))
        .order(ended_games::position)
        .limit(limit)
        .load(conn)?;
    rows.into_iter().map(|row| Ok((hash::from_stored(row.0)?, EndedGame::read(row)))).collect()
}

pub fn find(conn: &mut Connection, game: GameId) -> Result<Option<EndedGame>, StoreError> {
    let row: Option<Row> = ended_games::table.filter(ended_games::game_id.eq(game)).first(conn).optional()?;
    row.map(EndedGame::read).transpose()
}

/// Whether this transaction may add to the log. At most one transaction may at a time, until it ends.
pub fn lead(conn: &mut Connection) -> Result<bool, StoreError> {
    leader::lead(conn, LEADER)
}

/// Adds an entry at its position.
///
/// # Errors
/// [`StoreError::Constraint`] when the position or the game is in the log already.
pub fn add(conn: &mut Connection, ended: &EndedGame) -> Result<(), StoreError> {
    diesel::insert_into(ended_games::table)
        .values((
            ended_games::position.eq(hash::to_stored(ended.position)?),
            ended_games::game_id.eq(ended.game),
            ended_games::events.eq(hash::to_stored(ended.events)?),
            ended_games::head.eq(&ended.head[..]),
            ended_games::chain.eq(&ended.chain[..]),
            ended_games::kid.eq(&ended.kid),
            ended_games::signature.eq(&ended.signature[..]),
            ended_games::listed_at.eq(ended.listed_at),
        ))
        .execute(conn)?;
    diesel::update(games::table.find(ended.game)).set(games::listed_at.eq(ended.listed_at)).execute(conn)?;
    Ok(())
}
