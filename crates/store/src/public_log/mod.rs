//! The public log of games: waiting entries, the Merkle tree as tiles, checkpoints, and the entries of each game.

pub mod audit_reads;
pub mod games;
pub mod tree;

use diesel::prelude::*;
use estimation_engine::choice::Choice;

use super::columns::text_enums;
use super::schema::{adopted_heads, log_entries, log_games, log_queue};
use super::{Binding, Connection, GameId, Result, StoreError, columns};

estimation_engine::choices! {
    /// What an entry is about.
    pub enum EntryKind {
        /// The start of a game.
        Start = "start",
        /// The end of a game.
        End = "end",
        /// The head of a game was bound under another key.
        Adopted = "adopted",
        /// An entry that belongs to no game.
        Other = "other",
    }
}

text_enums!(EntryKind);

/// An entry that waits for its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedEntry {
    /// Its number in the queue, from 1; 0 for an entry that does not wait.
    pub number: i64,
    pub game: Option<GameId>,
    pub kind: EntryKind,
    /// The bytes of the entry.
    pub entry: String,
    /// The time of the entry, in milliseconds since 1970 in UTC.
    pub entered_at: i64,
    /// The keyed hash of the row; none for an entry that does not wait.
    pub binding: Option<Binding>,
}

/// A row of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its number in the queue.
    pub number: i64,
    /// Whether a node refused to enter it.
    pub is_refused: bool,
    /// The entry; an error for a row that no node has written.
    pub entry: Result<QueuedEntry, StoreError>,
}

type Row = (i64, Option<String>, String, String, i64, Vec<u8>, Option<i64>);

impl Waiting {
    fn read((number, game, kind, entry, entered_at, binding, refused_at): Row) -> Waiting {
        let read = || {
            let corrupt = |id: String| StoreError::Corrupt { detail: format!("{id:?} is no game") };
            let game = game.map(|id| id.parse().map_err(|_| corrupt(id))).transpose()?;
            let kind = EntryKind::from_name(&kind)
                .ok_or_else(|| StoreError::Corrupt { detail: format!("a log entry of the kind {kind:?}") })?;
            let binding = Some(Binding::read(&binding)?);
            Ok(QueuedEntry { number, game, kind, entry, entered_at, binding })
        };
        Waiting { number, is_refused: refused_at.is_some(), entry: read() }
    }
}

/// Adds an entry to the queue. Until the transaction ends, no entry gets a position in the log, so times in the log never
/// decrease.
///
/// # Errors
/// [`StoreError::LogTimePassed`] if the log has an entry with a later time.
pub fn enqueue(
    conn: &mut Connection,
    game: Option<GameId>,
    kind: EntryKind,
    entered_at: i64,
    entry: &str,
    binding: &Binding,
) -> Result<()> {
    let latest = tree::hold_off(conn)?;
    if entered_at < latest {
        return Err(StoreError::LogTimePassed { latest });
    }
    let columns = (
        log_queue::game_id.eq(game),
        log_queue::kind.eq(kind),
        log_queue::entry.eq(entry),
        log_queue::entered_at.eq(entered_at),
        log_queue::binding.eq(binding.as_bytes()),
    );
    diesel::insert_into(log_queue::table).values(columns).execute(conn)?;
    Ok(())
}

/// The waiting rows with the earliest times, at most `limit`.
pub fn queued(conn: &mut Connection, limit: i64) -> Result<Vec<Waiting>> {
    let query = log_queue::table
        .filter(log_queue::refused_at.is_null())
        .order((log_queue::entered_at, log_queue::number))
        .limit(limit);
    Ok(query.load::<Row>(conn)?.into_iter().map(Waiting::read).collect())
}

/// All rows of the queue, in order of insertion.
pub fn queue(conn: &mut Connection) -> Result<Vec<Waiting>> {
    let rows: Vec<Row> = log_queue::table.order(log_queue::number).load(conn)?;
    Ok(rows.into_iter().map(Waiting::read).collect())
}

/// Keeps a row from being entered. It stays for the operator.
pub fn refuse(conn: &mut Connection, number: i64, now: i64) -> Result<()> {
    diesel::update(log_queue::table.find(number)).set(log_queue::refused_at.eq(now)).execute(conn)?;
    Ok(())
}

/// The time of the earliest start that waits, in milliseconds since 1970 in UTC.
pub fn first_waiting_start(conn: &mut Connection) -> Result<Option<i64>> {
    let query = log_queue::table
        .filter(log_queue::refused_at.is_null())
        .filter(log_queue::kind.eq(EntryKind::Start.as_str()));
    Ok(query.select(diesel::dsl::min(log_queue::entered_at)).first(conn)?)
}

/// Whether no game has started or ended, and no entry waits.
pub fn is_unused(conn: &mut Connection) -> Result<bool> {
    let game: Option<String> = log_games::table.select(log_games::game_id).first(conn).optional()?;
    let waiting: Option<i64> = log_queue::table.select(log_queue::number).first(conn).optional()?;
    Ok(game.is_none() && waiting.is_none())
}

/// The number of rows that wait.
pub fn count_waiting(conn: &mut Connection) -> Result<u64> {
    columns::from_stored(log_queue::table.filter(log_queue::refused_at.is_null()).count().get_result(conn)?)
}

/// The number of refused rows.
pub fn count_refused(conn: &mut Connection) -> Result<u64> {
    columns::from_stored(
        log_queue::table.filter(log_queue::refused_at.is_not_null()).count().get_result(conn)?,
    )
}

/// Binds a row under another key. It waits again if it was refused.
pub fn bind_again(conn: &mut Connection, number: i64, binding: &Binding) -> Result<()> {
    let set = (log_queue::binding.eq(binding.as_bytes()), log_queue::refused_at.eq(None::<i64>));
    diesel::update(log_queue::table.find(number)).set(set).execute(conn)?;
    Ok(())
}

/// The next games after an id as stored that have a lost entry of this kind, at most `limit`: it has no position, and no
/// row of it waits.
pub fn lost(conn: &mut Connection, kind: EntryKind, after: &str, limit: i64) -> Result<Vec<String>> {
    if kind == EntryKind::Adopted {
        return lost_adoptions(conn, after, limit);
    }
    let waits = log_queue::table
        .filter(log_queue::game_id.eq(log_games::game_id.nullable()))
        .filter(log_queue::kind.eq(kind))
        .filter(log_queue::refused_at.is_null());
    let query = log_games::table
        .filter(diesel::dsl::not(diesel::dsl::exists(waits)))
        .filter(log_games::game_id.gt(after))
        .order(log_games::game_id)
        .limit(limit)
        .select(log_games::game_id);
    Ok(match kind {
        EntryKind::Start => query
            .filter(log_games::start_entry.is_not_null())
            .filter(log_games::start_position.is_null())
            .load(conn)?,
        EntryKind::End => query
            .filter(log_games::end_entry.is_not_null())
            .filter(log_games::end_position.is_null())
            .load(conn)?,
        EntryKind::Adopted | EntryKind::Other => Vec::new(),
    })
}

fn lost_adoptions(conn: &mut Connection, after: &str, limit: i64) -> Result<Vec<String>> {
    let waits = log_queue::table
        .filter(log_queue::game_id.eq(adopted_heads::game_id.nullable()))
        .filter(log_queue::kind.eq(EntryKind::Adopted.as_str()))
        .filter(log_queue::entry.eq(adopted_heads::logged))
        .filter(log_queue::refused_at.is_null());
    let query = adopted_heads::table
        .filter(adopted_heads::position.is_null())
        .filter(diesel::dsl::not(diesel::dsl::exists(waits)))
        .filter(adopted_heads::game_id.gt(after))
        .order(adopted_heads::game_id)
        .limit(limit)
        .select(adopted_heads::game_id)
        .distinct();
    Ok(query.load(conn)?)
}

/// Whether an entry of a game waits.
fn waits(conn: &mut Connection, game: GameId, kind: EntryKind, logged: &str) -> Result<bool> {
    let row = log_queue::table
        .filter(log_queue::game_id.eq(game))
        .filter(log_queue::kind.eq(kind))
        .filter(log_queue::entry.eq(logged))
        .filter(log_queue::refused_at.is_null());
    Ok(diesel::select(diesel::dsl::exists(row)).get_result(conn)?)
}

/// Whether an entry of a game is lost: it has no position, and no row of it waits.
pub fn is_lost(conn: &mut Connection, game: GameId, kind: EntryKind, logged: &str) -> Result<bool> {
    let is_unplaced = match kind {
        EntryKind::Adopted => {
            let row = adopted_heads::table
                .filter(adopted_heads::game_id.eq(game))
                .filter(adopted_heads::logged.eq(logged))
                .filter(adopted_heads::position.is_null());
            diesel::select(diesel::dsl::exists(row)).get_result(conn)?
        }
        kind => games::find_entry(conn, game, kind)?.is_some_and(|stored| stored.position.is_none()),
    };
    Ok(is_unplaced && !waits(conn, game, kind, logged)?)
}

/// Gives waiting entries their positions in a log, from `first` on.
pub fn place(conn: &mut Connection, log: i32, entries: &[QueuedEntry], first: u64) -> Result<()> {
    for (queued, position) in entries.iter().zip(first..) {
        let position = columns::to_stored(position)?;
        let columns = (
            log_entries::log.eq(log),
            log_entries::position.eq(position),
            log_entries::entry.eq(&queued.entry),
        );
        diesel::insert_into(log_entries::table).values(columns).execute(conn)?;
        diesel::delete(log_queue::table.find(queued.number)).execute(conn)?;
        if let Some(game) = queued.game {
            set_position(conn, game, queued.kind, &queued.entry, Some((log, position)))?;
        }
    }
    Ok(())
}

/// Gives an entry of a game its position, or takes it away.
fn set_position(
    conn: &mut Connection,
    game: GameId,
    kind: EntryKind,
    logged: &str,
    position: Option<(i32, i64)>,
) -> Result<()> {
    let (log, position) = position.unzip();
    let row = diesel::update(log_games::table.find(game));
    match kind {
        EntryKind::Start => {
            let set = (log_games::start_log.eq(log), log_games::start_position.eq(position));
            row.set(set).execute(conn)?;
        }
        EntryKind::End => {
            let set = (log_games::end_log.eq(log), log_games::end_position.eq(position));
            row.set(set).execute(conn)?;
        }
        EntryKind::Adopted => {
            let head = adopted_heads::table
                .filter(adopted_heads::game_id.eq(game))
                .filter(adopted_heads::logged.eq(logged));
            let set = (adopted_heads::log.eq(log), adopted_heads::position.eq(position));
            diesel::update(head).set(set).execute(conn)?;
        }
        EntryKind::Other => {}
    }
    Ok(())
}

/// A log that has an entry, and the position in it; none if no log has it. Reads all entries: for lost positions alone.
pub fn find_position(conn: &mut Connection, entry: &str) -> Result<Option<(i32, u64)>> {
    let rows: Vec<(i32, i64)> = log_entries::table
        .filter(log_entries::entry.eq(entry))
        .order((log_entries::log.desc(), log_entries::position))
        .select((log_entries::log, log_entries::position))
        .load(conn)?;
    let newest = tree::find(conn)?.map(|tree| tree.id);
    for (log, position) in rows {
        // What a former log has beyond its last checkpoint is in no log.
        let signed = tree::find_log(conn, log)?.map_or(0, |tree| tree.signed_size);
        let position = columns::from_stored(position)?;
        if newest == Some(log) || position < signed {
            return Ok(Some((log, position)));
        }
    }
    Ok(None)
}

/// Gives an entry of a game its position again.
pub fn restore_position(
    conn: &mut Connection,
    game: GameId,
    kind: EntryKind,
    logged: &str,
    (log, position): (i32, u64),
) -> Result<()> {
    set_position(conn, game, kind, logged, Some((log, columns::to_stored(position)?)))
}

/// Takes an entry of a game out of its position, and adds it to the queue again.
pub fn requeue(
    conn: &mut Connection,
    game: GameId,
    kind: EntryKind,
    entered_at: i64,
    entry: &str,
    binding: &Binding,
) -> Result<()> {
    set_position(conn, game, kind, entry, None)?;
    enqueue(conn, Some(game), kind, entered_at, entry, binding)
}

/// The entries of a log from a position on, at most `limit`.
pub fn entries(conn: &mut Connection, log: i32, first: u64, limit: i64) -> Result<Vec<String>> {
    let query = log_entries::table
        .filter(log_entries::log.eq(log))
        .filter(log_entries::position.ge(columns::to_stored(first)?))
        .order(log_entries::position)
        .limit(limit);
    Ok(query.select(log_entries::entry).load(conn)?)
}
