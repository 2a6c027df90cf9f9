//! Packed logs of ended games: one compressed row per game that restores every byte.
//!
//! Readers of events need not know: [`super::event_reads`] reads the packed log when the rows of a log are gone.
//! Unpacking recomputes the hashes and checks the stored head.

use std::collections::HashSet;
use std::io::{Read, Write};

use brotli::enc::BrotliEncoderParams;
use diesel::prelude::*;

use super::ended_games::without;
use super::event_reads::{Head, StoredEvent};
use super::schema::{game_events, game_snapshots, games, packed_games};
use super::{Binding, Connection, GameId, Hash, Result, StoreError, chain, columns};
use estimation_record::GENESIS;

/// The stored texts of all events in order, separated by newlines, compressed with Brotli.
const FORMAT: i32 = 1;

/// The maximum unpacked size. The longest games need less than a hundredth of it.
const LARGEST: u64 = 256 << 20;

/// Brotli's quality, window size and block size (both log2). Quality 9 makes a log 7 % smaller, but needs 33 MB of memory
/// and four times as long, most of it for that memory. Brotli compresses a block at once.
const QUALITY: i32 = 6;
const WINDOW: i32 = 20;
const BLOCK: i32 = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedLog {
    pub game: GameId,
    pub head: Head,
    /// The bodies of the events, compressed.
    pub body: Vec<u8>,
    /// The keyed hash of the head.
    pub binding: Option<Binding>,
}

/// Packs a log in pieces. Slow: do not call it on an event loop or in a transaction.
pub struct Packer {
    game: GameId,
    head: Head,
    binding: Option<Binding>,
    compressor: brotli::CompressorWriter<Vec<u8>>,
}

impl Packer {
    pub fn new(game: GameId) -> Packer {
        let params = BrotliEncoderParams {
            quality: QUALITY,
            lgwin: WINDOW,
            lgblock: BLOCK,
            ..BrotliEncoderParams::default()
        };
        let compressor = brotli::CompressorWriter::with_params(Vec::new(), 1 << 16, &params);
        Packer { game, head: Head { seq: 0, hash: GENESIS }, binding: None, compressor }
    }

    pub fn game(&self) -> GameId {
        self.game
    }

    /// The number of the last packed event.
    pub fn seq(&self) -> u64 {
        self.head.seq
    }

    /// Packs the next events of the log.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when the events do not continue the chain.
    pub fn add(&mut self, events: &[StoredEvent]) -> Result<()> {
        for event in events {
            let Head { seq, hash } = self.head;
            let next = Head { seq: seq + 1, hash: chain(hash, event.body.as_bytes()) };
            if next != (Head { seq: event.seq, hash: event.hash }) || event.body.contains('\n') {
                return Err(self.corrupt("its log is not a chain"));
            }
            let separator: &[u8] = if seq == 0 { b"" } else { b"\n" };
            self.compressor.write_all(separator).map_err(unpackable)?;
            self.compressor.write_all(event.body.as_bytes()).map_err(unpackable)?;
            (self.head, self.binding) = (next, event.binding);
        }
        Ok(())
    }

    /// Ends the log.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when there were no events.
    pub fn finish(mut self) -> Result<PackedLog> {
        if self.head.seq == 0 {
            return Err(self.corrupt("it has no log"));
        }
        self.compressor.flush().map_err(unpackable)?;
        let Packer { game, head, binding, compressor } = self;
        Ok(PackedLog { game, head, body: compressor.into_inner(), binding })
    }

    fn corrupt(&self, detail: &str) -> StoreError {
        StoreError::Corrupt { detail: format!("game {}: {detail}", self.game) }
    }
}

fn unpackable(error: std::io::Error) -> StoreError {
    StoreError::Defect { detail: error.to_string() }
}

impl PackedLog {
    /// Packs the whole log of a game. Slow: do not call it on an event loop or in a transaction.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when the events are not an unbroken chain from the first one.
    pub fn of(game: GameId, events: &[StoredEvent]) -> Result<PackedLog> {
        let mut packer = Packer::new(game);
        packer.add(events)?;
        packer.finish()
    }

    /// The packed size in bytes.
    pub fn size(&self) -> usize {
        self.body.len()
    }

    /// The events, with recomputed hashes.
    pub fn unpack(&self) -> Result<Vec<StoredEvent>> {
        let corrupt = |detail: &str| StoreError::Corrupt { detail: format!("game {}: {detail}", self.game) };
        let mut text = String::new();
        let read = brotli::Decompressor::new(&self.body[..], 1 << 16).take(LARGEST).read_to_string(&mut text);
        read.map_err(|error| corrupt(&format!("its packed log cannot be read: {error}")))?;
        let (mut seq, mut hash) = (0, GENESIS);
        let mut events = Vec::new();
        for body in text.split('\n') {
            (seq, hash) = (seq + 1, chain(hash, body.as_bytes()));
            events.push(StoredEvent { seq, hash, body: body.to_owned(), binding: None });
        }
        if let Some(last) = events.last_mut() {
            last.binding = self.binding;
        }
        if (Head { seq, hash }) == self.head {
            Ok(events)
        } else {
            Err(corrupt("its packed log was changed"))
        }
    }
}

/// The head of a packed log; `None` when the game is not packed.
pub fn head(conn: &mut Connection, game: GameId) -> Result<Option<Head>> {
    let query = packed_games::table.find(game).select((packed_games::events, packed_games::head));
    Ok(query.first(conn).optional()?)
}

/// All events of a packed game; `None` when it is not packed.
///
/// # Errors
/// [`StoreError::Corrupt`] when the stored data does not end in the stored head.
pub fn events(conn: &mut Connection, game: GameId) -> Result<Option<Vec<StoredEvent>>> {
    type Row = (Head, i32, Vec<u8>, Option<Binding>);
    let row: Option<Row> = packed_games::table
        .find(game)
        .select((
            (packed_games::events, packed_games::head),
            packed_games::format,
            packed_games::body,
            packed_games::binding,
        ))
        .first(conn)
        .optional()?;
    let Some((head, format, body, binding)) = row else { return Ok(None) };
    if format != FORMAT {
        let detail = format!("game {game} is packed in format {format}, which this version cannot read");
        return Err(StoreError::Corrupt { detail });
    }
    PackedLog { game, head, body, binding }.unpack().map(Some)
}

/// Games with a signed end that are not packed and ended before a time, in order of their end, at most `limit`, without
/// those in `skip`.
pub fn unpacked(
    conn: &mut Connection,
    before: i64,
    skip: &HashSet<GameId>,
    limit: usize,
) -> Result<Vec<GameId>> {
    let query = games::table
        .filter(games::signed_at.is_not_null())
        .filter(games::packed_at.is_null())
        .filter(games::ended_at.lt(before))
        .order((games::ended_at, games::id))
        .limit((limit + skip.len()) as i64)
        .select(games::id);
    Ok(without(skip, limit, query.load(conn)?))
}

/// Stores a packed log next to its events. Does nothing when the game is packed already.
///
/// # Errors
/// [`StoreError::AppendOnly`] when events are missing, or the game has no signed end, or another one.
pub fn insert(conn: &mut Connection, packed: &PackedLog) -> Result<()> {
    if head(conn, packed.game)?.is_some() {
        return Ok(());
    }
    diesel::insert_into(packed_games::table)
        .values((
            packed_games::game_id.eq(packed.game),
            packed_games::events.eq(columns::to_stored(packed.head.seq)?),
            packed_games::head.eq(&packed.head.hash[..]),
            packed_games::format.eq(FORMAT),
            packed_games::body.eq(&packed.body),
            packed_games::binding.eq(packed.binding),
        ))
        .execute(conn)?;
    Ok(())
}

/// Deletes the first `limit` events of a packed game, and when none are left, its snapshot. Returns whether
/// the game is finished.
///
/// # Errors
/// [`StoreError::AppendOnly`] when the game is not packed.
pub fn clear(conn: &mut Connection, game: GameId, limit: i64, now: i64) -> Result<bool> {
    let of_game = || game_events::table.filter(game_events::game_id.eq(game));
    let next: Option<i64> =
        of_game().order(game_events::seq).select(game_events::seq).first(conn).optional()?;
    if let Some(next) = next {
        let taken = of_game().filter(game_events::seq.lt(next.saturating_add(limit)));
        diesel::delete(taken).execute(conn)?;
        return Ok(false);
    }
    diesel::delete(game_snapshots::table.find(game)).execute(conn)?;
    diesel::update(games::table.find(game)).set(games::packed_at.eq(now)).execute(conn)?;
    Ok(true)
}

/// The events of a packed game after a version, at most `limit`; `None` when it is not packed.
pub(super) fn after(
    conn: &mut Connection,
    game: GameId,
    after: u64,
    limit: i64,
) -> Result<Option<Vec<StoredEvent>>> {
    match head(conn, game)? {
        None => Ok(None),
        Some(head) if head.seq <= after => Ok(Some(Vec::new())),
        Some(_) => {
            let Some(all) = events(conn, game)? else { return Ok(None) };
            let (skipped, limit) = (usize::try_from(after), usize::try_from(limit));
            let rest = all.into_iter().skip(skipped.unwrap_or(usize::MAX));
            Ok(Some(rest.take(limit.unwrap_or(0)).collect()))
        }
    }
}

/// Whether a packed game contains the event with this hash.
pub(super) fn contains(conn: &mut Connection, game: GameId, seq: i64, hash: &Hash) -> Result<bool> {
    let seq = columns::from_stored(seq)?;
    let found = after(conn, game, seq.saturating_sub(1), 1)?.unwrap_or_default();
    Ok(found.iter().any(|event| event.seq == seq && event.hash == *hash))
}
