//! Bindings of heads whose own are under lost keys, each with its entry in the public log: `estimation games adopt` makes
//! them.

use diesel::prelude::*;

use super::public_log::games::exactly;
use super::public_log::{EntryKind, enqueue};
use super::schema::adopted_heads;
use super::{Binding, Connection, GameId, Result, StoreError, columns};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptedHead {
    /// The version of the head.
    pub seq: u64,
    /// Binds the game, the version, the hash of its event, and `logged`.
    pub binding: Binding,
    /// The entry, not sealed.
    pub entry: String,
    /// The salt of a sealed entry.
    pub salt: Option<[u8; 32]>,
    /// The bytes that the log has.
    pub logged: String,
    /// The log and the position in it, from 0; none while the entry waits.
    pub position: Option<(i32, u64)>,
}

/// The game, the version, the binding, the entry, the salt, the bytes in the log, the log and the position.
type Row = (String, i64, Vec<u8>, String, Option<Vec<u8>>, String, Option<i32>, Option<i64>);

/// A game as stored, and one of its adopted heads. A damaged row is an error of its own.
pub type AdoptedGame = (String, Result<AdoptedHead, StoreError>);

impl AdoptedHead {
    fn read((game, seq, binding, entry, salt, logged, log, position): Row) -> AdoptedGame {
        let read = || {
            let salt = salt.map(|salt| exactly(&game, salt)).transpose()?;
            let position = log.zip(position.map(columns::from_stored).transpose()?);
            let (seq, binding) = (columns::from_stored(seq)?, Binding::read(&binding)?);
            Ok(AdoptedHead { seq, binding, entry, salt, logged, position })
        };
        let read = read();
        (game, read)
    }
}

/// The adopted heads of a game, the newest last.
pub fn of_game(conn: &mut Connection, game: GameId) -> Result<Vec<AdoptedHead>> {
    let query = adopted_heads::table.filter(adopted_heads::game_id.eq(game)).order(adopted_heads::seq);
    query.load::<Row>(conn)?.into_iter().map(|row| AdoptedHead::read(row).1).collect()
}

/// The adopted head of a game at a version.
pub fn find(conn: &mut Connection, game: GameId, seq: u64) -> Result<Option<AdoptedHead>> {
    let row: Option<Row> =
        adopted_heads::table.find((game, columns::to_stored(seq)?)).first(conn).optional()?;
    row.map(|row| AdoptedHead::read(row).1).transpose()
}

/// The next adopted heads after a game as stored and a version, at most `limit`, and the place of the last one; none at the
/// end.
#[expect(clippy::type_complexity, reason = "a page and its place")]
pub fn page(
    conn: &mut Connection,
    (game, seq): &(String, i64),
    limit: i64,
) -> Result<Option<((String, i64), Vec<AdoptedGame>)>> {
    let after =
        adopted_heads::game_id.gt(game).or(adopted_heads::game_id.eq(game).and(adopted_heads::seq.gt(*seq)));
    let query = adopted_heads::table.filter(after).order((adopted_heads::game_id, adopted_heads::seq));
    let rows: Vec<Row> = query.limit(limit).load(conn)?;
    let Some(last) = rows.last().map(|row| (row.0.clone(), row.1)) else { return Ok(None) };
    Ok(Some((last, rows.into_iter().map(AdoptedHead::read).collect())))
}

/// An adoption of a game's head, for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedAdoption {
    /// The time of the entry, in milliseconds since 1970 in UTC.
    pub at: i64,
    /// The bytes that the log has.
    pub logged: String,
    /// The entry, not sealed.
    pub entry: String,
    /// The salt of a sealed entry.
    pub salt: Option<[u8; 32]>,
    /// Binds the row of the queue.
    pub binding: Binding,
}

/// Binds a head that was adopted before under another key.
pub fn bind_again(conn: &mut Connection, game: GameId, seq: u64, binding: &Binding) -> Result<()> {
    let row = diesel::update(adopted_heads::table.find((game, columns::to_stored(seq)?)));
    row.set(adopted_heads::binding.eq(binding.as_bytes())).execute(conn)?;
    Ok(())
}

/// Stores an adopted head, and queues its entry.
///
/// # Errors
/// [`StoreError::LogTimePassed`] if the log has an entry with a later time; [`StoreError::Constraint`] if the head was
/// adopted before.
pub fn add(
    conn: &mut Connection,
    game: GameId,
    seq: u64,
    binding: &Binding,
    adoption: &LoggedAdoption,
) -> Result<()> {
    let LoggedAdoption { at, logged, entry, salt, binding: queued } = adoption;
    let columns = (
        adopted_heads::game_id.eq(game),
        adopted_heads::seq.eq(columns::to_stored(seq)?),
        adopted_heads::binding.eq(binding.as_bytes()),
        adopted_heads::entry.eq(entry),
        adopted_heads::salt.eq(salt.as_ref().map(|salt| &salt[..])),
        adopted_heads::logged.eq(logged),
    );
    diesel::insert_into(adopted_heads::table).values(columns).execute(conn)?;
    enqueue(conn, Some(game), EntryKind::Adopted, *at, logged, queued)
}
