//! The signed ends of games, each with a number from 1 without gaps: append-only. One node at a time takes ended games
//! through the steps after their end.

use std::collections::HashSet;

use diesel::dsl::exists;
use diesel::prelude::*;
use uuid::Uuid;

use super::connection::insert_if_absent;
use super::schema::{ended_games, games, log_games, log_queue, log_tree, refused_games};
use super::{Connection, GameId, Hash, Result, StoreError, columns, shared_work};

/// PostgreSQL's lock number for the steps after the end of a game: ASCII "ended".
const LEADER: i64 = 0x65_6e64_6564;

/// The signed end of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedGame {
    /// Its number, from 1.
    pub number: u64,
    pub game: GameId,
    /// The number of the game's events.
    pub events: u64,
    /// The hash of the game's last event.
    pub head: Hash,
    /// The id of the key that signed the game's end.
    pub kid: String,
    pub signature: [u8; 64],
    /// Milliseconds since 1970 in UTC.
    pub signed_at: i64,
}

type Row = (i64, String, i64, Vec<u8>, String, Vec<u8>, i64);

impl EndedGame {
    fn read(row: Row) -> Result<EndedGame> {
        let (number, game, events, head, kid, signature, signed_at) = row;
        let game =
            game.parse().map_err(|_| StoreError::Corrupt { detail: format!("{game:?} is no game") })?;
        let length = signature.len();
        let signature = signature.try_into().map_err(|_| StoreError::Corrupt {
            detail: format!("the signature of game {game} has {length} bytes instead of 64"),
        })?;
        Ok(EndedGame {
            number: columns::from_stored(number)?,
            game,
            events: columns::from_stored(events)?,
            head: columns::read_hash(&head)?,
            kid,
            signature,
            signed_at,
        })
    }
}

/// Whether this transaction may do a step. At most one transaction may at a time, until it ends.
pub fn lead(conn: &mut Connection) -> Result<bool> {
    shared_work::lead(conn, LEADER)
}

/// Keeps other transactions from doing a step until this transaction ends.
pub(super) fn hold_off(conn: &mut Connection) -> Result<()> {
    shared_work::hold_off(conn, LEADER)
}

/// A page of ended games that are not signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsignedPage {
    /// Those whose start does not wait for its place in a signed checkpoint.
    pub ready: Vec<GameId>,
    /// The time of the end and the id of the last game, as the next page begins after it; none on the last page.
    pub last: Option<(i64, GameId)>,
    /// The last checkpoint of the newest log; none before the first log.
    pub checkpoint: Option<LogCheckpoint>,
}

/// The number of a log, and the size of its last checkpoint. Games that wait can become ready when it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct LogCheckpoint {
    log: i32,
    size: i64,
}

/// Ended games that are not signed, in order of their end, at most `limit`: those after a time and an id.
pub fn unsigned(conn: &mut Connection, after: Option<(i64, GameId)>, limit: usize) -> Result<UnsignedPage> {
    let newest = log_tree::table.order(log_tree::id.desc()).select((log_tree::id, log_tree::signed_size));
    let checkpoint: Option<LogCheckpoint> = newest.first(conn).optional()?;
    let waits = log_queue::table
        .filter(log_queue::game_id.eq(games::id.nullable()))
        .filter(log_queue::kind.eq("start"))
        .filter(log_queue::refused_at.is_null());
    let (at, id) = after.unwrap_or((i64::MIN, GameId(Uuid::nil())));
    let query = games::table
        .left_join(log_games::table.on(log_games::game_id.eq(games::id)))
        .filter(games::ended_at.is_not_null())
        .filter(games::signed_at.is_null())
        .filter(games::ended_at.gt(at).or(games::ended_at.eq(at).and(games::id.gt(id))))
        .order((games::ended_at, games::id))
        .limit(limit as i64)
        .select((
            (games::ended_at.assume_not_null(), games::id),
            log_games::start_entry.nullable().is_null(),
            (log_games::start_log.nullable(), log_games::start_position.nullable()),
            exists(waits),
        ));
    let games: Vec<Unsigned> = query.load(conn)?;
    let last = games.last().map(|(end, ..)| *end).filter(|_| games.len() == limit);
    let is_ready = |(_, is_unlogged, place, waits): &Unsigned| match place {
        _ if *is_unlogged => true,
        // Another log gets no checkpoint any more, or is not there.
        (log, Some(position)) => {
            checkpoint.is_none_or(|newest| *log != Some(newest.log) || *position < newest.size)
        }
        // The log has lost it.
        (_, None) => !waits,
    };
    let ready = games.into_iter().filter(is_ready).map(|((_, game), ..)| game).collect();
    Ok(UnsignedPage { ready, last, checkpoint })
}

/// The end of a game, whether nothing was logged of it, the log and the position of its start, and whether its start waits.
type Unsigned = ((i64, GameId), bool, (Option<i32>, Option<i64>), bool);

/// Signed games whose end was not given to the public log, in order of their numbers, at most `limit`, without those in
/// `skip`.
pub fn unlogged(conn: &mut Connection, skip: &HashSet<GameId>, limit: usize) -> Result<Vec<GameId>> {
    let query = games::table
        .inner_join(ended_games::table.on(ended_games::game_id.eq(games::id)))
        .filter(games::signed_at.is_not_null())
        .filter(games::logged_at.is_null())
        .order(ended_games::number)
        .limit((limit + skip.len()) as i64)
        .select(games::id);
    Ok(without(skip, limit, query.load(conn)?))
}

/// The first `limit` games that are not in `skip`. The caller need not fetch more than `limit + skip.len()`
/// games.
pub(super) fn without(skip: &HashSet<GameId>, limit: usize, games: Vec<GameId>) -> Vec<GameId> {
    games.into_iter().filter(|game| !skip.contains(game)).take(limit).collect()
}

/// The last number; 0 before the first signed end.
pub fn last_number(conn: &mut Connection) -> Result<u64> {
    let last = ended_games::table.order(ended_games::number.desc()).select(ended_games::number);
    columns::from_stored(last.first(conn).optional()?.unwrap_or_default())
}

/// Stores a signed end.
///
/// # Errors
/// [`StoreError::Constraint`] when there is an end with this number or of this game.
pub fn add(conn: &mut Connection, ended: &EndedGame) -> Result<()> {
    diesel::insert_into(ended_games::table)
        .values((
            ended_games::number.eq(columns::to_stored(ended.number)?),
            ended_games::game_id.eq(ended.game),
            ended_games::events.eq(columns::to_stored(ended.events)?),
            ended_games::head.eq(&ended.head[..]),
            ended_games::kid.eq(&ended.kid),
            ended_games::signature.eq(&ended.signature[..]),
            ended_games::signed_at.eq(ended.signed_at),
        ))
        .execute(conn)?;
    diesel::update(games::table.find(ended.game)).set(games::signed_at.eq(ended.signed_at)).execute(conn)?;
    Ok(())
}

/// Records that the public log got the end of a game, in an entry of this time. Returns false if it was recorded before.
pub fn mark_logged(conn: &mut Connection, game: GameId, at: i64) -> Result<bool> {
    let open = games::table.find(game).filter(games::logged_at.is_null());
    Ok(diesel::update(open).set(games::logged_at.eq(at)).execute(conn)? == 1)
}

pub fn find(conn: &mut Connection, game: GameId) -> Result<Option<EndedGame>> {
    let row: Option<Row> = ended_games::table.filter(ended_games::game_id.eq(game)).first(conn).optional()?;
    row.map(EndedGame::read).transpose()
}

/// A number, and the row there if it can be read.
pub type StoredEnd = (u64, Result<EndedGame, StoreError>);

/// The rows after a number, at most `limit`, each with its number. A damaged row does not affect the others.
pub fn after(conn: &mut Connection, number: u64, limit: i64) -> Result<Vec<StoredEnd>> {
    let rows: Vec<Row> = ended_games::table
        .filter(ended_games::number.gt(columns::to_stored(number)?))
        .order(ended_games::number)
        .limit(limit)
        .load(conn)?;
    rows.into_iter().map(|row| Ok((columns::from_stored(row.0)?, EndedGame::read(row)))).collect()
}

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
pub fn record_refusal(
    conn: &mut Connection,
    game: GameId,
    (reason, detail): (&str, &str),
    now: i64,
) -> Result<()> {
    hold_off(conn)?;
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
pub fn forget_refusals(conn: &mut Connection, games: &[GameId]) -> Result<()> {
    diesel::delete(refused_games::table.filter(refused_games::game_id.eq_any(games))).execute(conn)?;
    Ok(())
}

/// All refused games, the first one first.
pub fn refused(conn: &mut Connection) -> Result<Vec<RefusedGame>> {
    let order = (refused_games::first_seen_at, refused_games::game_id);
    Ok(refused_games::table.order(order).load(conn)?)
}
