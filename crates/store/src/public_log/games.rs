//! The entries of each game in the public log, what opens them, and the salts of pseudonyms.

use diesel::prelude::*;

use super::{EntryKind, enqueue};
use crate::schema::{adopted_heads, log_games, log_pseudonyms};
use crate::{AccountId, Binding, Connection, GameId, Hash, Result, StoreError, columns};

/// A game that starts, for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedGame {
    /// The time of the start, in milliseconds since 1970 in UTC.
    pub at: i64,
    /// The bytes that the log has.
    pub logged: String,
    /// The start entry, not sealed.
    pub entry: String,
    /// The salt of a sealed entry.
    pub salt: Option<[u8; 32]>,
    pub promise: Promise,
    /// Binds the row of the queue.
    pub binding: Binding,
    /// The salts of the players' pseudonyms.
    pub pseudonyms: Vec<(AccountId, [u8; 32])>,
}

/// The promise that a start will be in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    /// The leaf hash of the entry.
    pub leaf: Hash,
    /// The latest time of the first checkpoint with the entry, in milliseconds since 1970 in UTC.
    pub by: i64,
    /// The record key that signed the promise.
    pub kid: String,
    pub signature: [u8; 64],
}

/// The start or the end of a game in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedEntry {
    /// The entry, not sealed.
    pub entry: String,
    /// The salt of a sealed entry.
    pub salt: Option<[u8; 32]>,
    /// The log and the position in it, from 0; none while the entry waits.
    pub position: Option<(i32, u64)>,
}

type PromiseRow = (Option<Vec<u8>>, Option<i64>, Option<String>, Option<Vec<u8>>);

type EntryRow = (Option<String>, Option<Vec<u8>>, Option<i32>, Option<i64>);

/// Stores a started game, and queues its entry.
///
/// # Errors
/// [`StoreError::LogTimePassed`] if the log has an entry with a later time.
pub fn start(conn: &mut Connection, game: GameId, started: &StartedGame) -> Result<()> {
    let StartedGame { at, logged, entry, salt, promise, binding, pseudonyms } = started;
    enqueue(conn, Some(game), EntryKind::Start, *at, logged, binding)?;
    diesel::insert_into(log_games::table)
        .values((
            log_games::game_id.eq(game),
            log_games::start_entry.eq(entry),
            log_games::start_salt.eq(salt.as_ref().map(|salt| &salt[..])),
            log_games::leaf.eq(&promise.leaf[..]),
            log_games::promised_by.eq(promise.by),
            log_games::promise_kid.eq(&promise.kid),
            log_games::promise.eq(&promise.signature[..]),
        ))
        .execute(conn)?;
    for (account, salt) in pseudonyms {
        diesel::insert_into(log_pseudonyms::table)
            .values((
                log_pseudonyms::game_id.eq(game),
                log_pseudonyms::account_id.eq(account),
                log_pseudonyms::salt.eq(&salt[..]),
            ))
            .execute(conn)?;
    }
    Ok(())
}

/// A game that is over, for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverGame {
    /// The time of the entry, in milliseconds since 1970 in UTC.
    pub at: i64,
    /// The bytes that the log has.
    pub logged: String,
    /// The end entry, not sealed.
    pub entry: String,
    /// The salt of a sealed entry.
    pub salt: Option<[u8; 32]>,
    /// Binds the row of the queue.
    pub binding: Binding,
}

/// Stores the end of a game and queues its entry. Does nothing if the log has it.
///
/// # Errors
/// [`StoreError::LogTimePassed`] if the log has an entry with a later time.
pub fn end(conn: &mut Connection, game: GameId, over: &OverGame) -> Result<()> {
    let OverGame { at, logged, entry, salt, binding } = over;
    let known = log_games::table.find(game).select(log_games::end_entry);
    let set = (log_games::end_entry.eq(entry), log_games::end_salt.eq(salt.as_ref().map(|salt| &salt[..])));
    match known.first::<Option<String>>(conn).optional()? {
        Some(Some(_)) => return Ok(()),
        Some(None) => diesel::update(log_games::table.find(game)).set(set).execute(conn)?,
        // It did not start.
        None => {
            diesel::insert_into(log_games::table).values((log_games::game_id.eq(game), set)).execute(conn)?
        }
    };
    enqueue(conn, Some(game), EntryKind::End, *at, logged, binding)
}

/// The promise for a game; none if it has not started.
pub fn promise(conn: &mut Connection, game: GameId) -> Result<Option<Promise>> {
    let columns = (log_games::leaf, log_games::promised_by, log_games::promise_kid, log_games::promise);
    let row: Option<PromiseRow> = log_games::table.find(game).select(columns).first(conn).optional()?;
    row.map_or(Ok(None), |row| read_promise(&game, row))
}

/// A promise as stored. All columns are null for a game without a start in the log.
pub(super) fn read_promise(game: &impl std::fmt::Display, row: PromiseRow) -> Result<Option<Promise>> {
    match row {
        (Some(leaf), Some(by), Some(kid), Some(signature)) => Ok(Some(Promise {
            leaf: columns::read_hash(&leaf)?,
            by,
            kid,
            signature: exactly(game, signature)?,
        })),
        (None, None, None, None) => Ok(None),
        _ => Err(StoreError::Corrupt { detail: format!("the promise for the game {game} is incomplete") }),
    }
}

/// The start or the end of a game in the log; none while the game has none there.
pub fn find_entry(conn: &mut Connection, game: GameId, kind: EntryKind) -> Result<Option<LoggedEntry>> {
    let row = log_games::table.find(game);
    let start =
        (log_games::start_entry, log_games::start_salt, log_games::start_log, log_games::start_position);
    let end = (log_games::end_entry, log_games::end_salt, log_games::end_log, log_games::end_position);
    let row: Option<EntryRow> = match kind {
        EntryKind::Start => row.select(start).first(conn).optional()?,
        EntryKind::End => row.select(end).first(conn).optional()?,
        EntryKind::Adopted | EntryKind::Other => None,
    };
    let Some((Some(entry), salt, log, position)) = row else { return Ok(None) };
    let salt = salt.map(|salt| exactly(&game, salt)).transpose()?;
    let position = position.map(columns::from_stored).transpose()?;
    Ok(Some(LoggedEntry { entry, salt, position: log.zip(position) }))
}

/// An entry of a game at its position in a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedEntry {
    pub game: GameId,
    /// Start, end or adoption.
    pub kind: EntryKind,
    /// The entry, not sealed.
    pub entry: String,
    /// The salt of a sealed entry.
    pub salt: Option<[u8; 32]>,
}

/// A position, and the entry there if it can be read.
pub type PlacedAt = (u64, Result<PlacedEntry, StoreError>);

/// The entries of games at the positions of a log from `first` up to `end`, at most `limit`, each with its
/// position. A damaged row does not affect the others.
pub fn placed(
    conn: &mut Connection,
    log: i32,
    (first, end): (u64, u64),
    limit: i64,
) -> Result<Vec<PlacedAt>> {
    type Row = (Option<i64>, String, Option<String>, Option<Vec<u8>>);
    let (first, end) = (columns::to_stored(first)?, columns::to_stored(end)?);
    macro_rules! of {
        ($table:ident, $log:ident, $position:ident, $entry:ident, $salt:ident) => {
            $table::table
                .filter($table::$log.eq(log))
                .filter($table::$position.ge(first))
                .filter($table::$position.lt(end))
                .order($table::$position)
                .limit(limit)
                .select(($table::$position, $table::game_id, $table::$entry.nullable(), $table::$salt))
                .load::<Row>(conn)?
        };
    }
    let starts = of!(log_games, start_log, start_position, start_entry, start_salt);
    let ends = of!(log_games, end_log, end_position, end_entry, end_salt);
    let adopted = of!(adopted_heads, log, position, entry, salt);
    let mut rows: Vec<(EntryKind, Row)> = starts.into_iter().map(|row| (EntryKind::Start, row)).collect();
    rows.extend(ends.into_iter().map(|row| (EntryKind::End, row)));
    rows.extend(adopted.into_iter().map(|row| (EntryKind::Adopted, row)));
    rows.sort_unstable_by_key(|(_, row)| row.0);
    rows.truncate(usize::try_from(limit).unwrap_or_default());
    let read = |(kind, (position, id, entry, salt)): (EntryKind, Row)| {
        let placed = || {
            let corrupt = |detail: String| StoreError::Corrupt { detail };
            let game = id.parse().map_err(|_| corrupt(format!("{id:?} is no game")))?;
            let missing = || corrupt(format!("the public log has a position without an entry of game {id}"));
            let salt = salt.map(|salt| exactly(&id, salt)).transpose()?;
            Ok(PlacedEntry { game, kind, entry: entry.ok_or_else(missing)?, salt })
        };
        Ok((columns::from_stored(position.unwrap_or_default())?, placed()))
    };
    rows.into_iter().map(read).collect()
}

/// The salts of an account's pseudonyms, by game.
pub fn salts_of(conn: &mut Connection, account: &AccountId) -> Result<Vec<(GameId, [u8; 32])>> {
    let query = log_pseudonyms::table
        .filter(log_pseudonyms::account_id.eq(account))
        .order(log_pseudonyms::game_id)
        .select((log_pseudonyms::game_id, log_pseudonyms::salt));
    let rows: Vec<(GameId, Vec<u8>)> = query.load(conn)?;
    rows.into_iter().map(|(game, salt)| Ok((game, exactly(&game, salt)?))).collect()
}

pub(crate) fn exactly<const N: usize>(game: &impl std::fmt::Display, bytes: Vec<u8>) -> Result<[u8; N]> {
    let length = bytes.len();
    bytes.try_into().map_err(|_| StoreError::Corrupt {
        detail: format!("the public log of game {game} has {length} bytes instead of {N}"),
    })
}
