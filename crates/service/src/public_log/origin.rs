//! A new log after the present one: under another name and with new keys, because the present log was rolled back, or its
//! key is lost or stolen.

use super::entries::bind_entry;
use super::grow::append;
use crate::auth::keys::{KeyRing, RecordKeys};
use crate::base::failure::{Failure, milliseconds};
use crate::public_log::failure::LogFailure;
use estimation_engine::hex::Hex;
use estimation_record::{LogEntry, Opening};
use estimation_store::public_log::audit_reads::logs;
use estimation_store::public_log::games::{PlacedAt, PlacedEntry, placed};
use estimation_store::public_log::{self, EntryKind, QueuedEntry, tree};
use estimation_store::{Binding, Connection, Database, GameId, Server, StoreError};
use estimation_tlog::Hash;
use jiff::Timestamp;

/// Entries in a page.
const PAGE: i64 = 256;

/// A new log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BegunLog {
    /// The name of the former log.
    pub former: String,
    /// The number of entries in its last checkpoint.
    pub signed: u64,
    /// How many entries beyond these wait for the new log.
    pub moved: u64,
    /// How many entries beyond these are of no game. They stay.
    pub left: u64,
}

/// An entry that no checkpoint of its log has.
struct UnsignedEntry {
    game: GameId,
    kind: EntryKind,
    at: i64,
    logged: String,
    binding: Binding,
}

/// Begins a new log. The entries of the former log beyond its last checkpoint wait for the new one.
///
/// # Errors
/// [`LogFailure::Command`] if there is no log yet, or one of them has this name.
pub async fn begin_again(
    database: &Database,
    ring: &KeyRing,
    now: Timestamp,
    origin: &str,
) -> Result<BegunLog, LogFailure> {
    let keys = ring.record_keys();
    // All nodes are stopped, and will have it when they start.
    let kid = keys.newest_kid().map(ToString::to_string);
    let kid = kid.ok_or_else(|| Failure::Defect("there is no record key".to_owned()))?;
    let origin = origin.to_owned();
    let refused = |why: &str| Err(LogFailure::Command(why.to_owned()));
    let begin = move |conn: &mut Connection| {
        let logs = logs(conn)?;
        let Some(former) = logs.last() else { return refused("there is no log yet") };
        if tree::is_taken(conn, &origin)? {
            return refused(&format!("there is a log with the name {origin}"));
        }
        if !tree::lead(conn)? {
            return refused("a node is writing to the log: stop all nodes first");
        }
        let (unsigned, left) = unsigned(conn, (former.id, former.signed_size), &keys, now)?;
        // A log that was begun and never signed has nothing that could be continued.
        let signed = logs.iter().rev().find(|log| !log.note.is_empty());
        let checkpoint = signed.map(|log| log.note.clone()).unwrap_or_default();
        tree::begin(conn, former.id + 1, &origin, &kid, &Hash::empty_root().0)?;
        let first = LogEntry::Origin { checkpoint };
        let first = first.text().map_err(|error| StoreError::Defect { detail: error.to_string() })?;
        // Those that wait again may have an earlier time than the last entry of the former log, and its time may be wrong.
        let latest = former.entered_at.min(milliseconds(now));
        let entered_at = unsigned.iter().map(|entry| entry.at).fold(latest, i64::min);
        let (game, kind) = (None, EntryKind::Other);
        let first = QueuedEntry { number: 0, game, kind, entry: first, entered_at, binding: None };
        if let Some(tree) = tree::find(conn)? {
            // In front of the entries that wait.
            append(conn, &tree, &[first])?;
        }
        for UnsignedEntry { game, kind, at, logged, binding } in &unsigned {
            public_log::requeue(conn, *game, *kind, *at, logged, binding)?;
        }
        let (former, signed, moved) = (former.origin.clone(), former.signed_size, unsigned.len() as u64);
        Ok(BegunLog { former, signed, moved, left })
    };
    database.write(Server, begin).await
}

/// The entries of a log beyond its last checkpoint that are of a game, in order; and how many others there are.
fn unsigned(
    conn: &mut Connection,
    (log, signed): (i32, u64),
    keys: &RecordKeys,
    now: Timestamp,
) -> Result<(Vec<UnsignedEntry>, u64), StoreError> {
    let (mut unsigned, mut left, mut next) = (Vec::new(), 0, signed);
    loop {
        let stored = public_log::entries(conn, log, next, PAGE)?;
        if stored.is_empty() {
            return Ok((unsigned, left));
        }
        let end = next + stored.len() as u64;
        // In a damaged database a start, an end and an adoption may have the same position.
        let mut of_games = placed(conn, log, (next, end), 3 * PAGE)?.into_iter().peekable();
        for (logged, position) in stored.into_iter().zip(next..) {
            let mut found = None;
            while let Some((_, read)) = of_games.next_if(|(at, _): &PlacedAt| *at <= position) {
                found = read.ok();
            }
            match found.and_then(|found| waiting(found, &logged, keys, now)) {
                Some(entry) => unsigned.push(entry),
                // The first entry of a log names the log before it.
                None => left += u64::from(position > 0),
            }
        }
        next = end;
    }
}

/// A placed entry as one that waits; none if the log has another one than the game.
fn waiting(placed: PlacedEntry, logged: &str, keys: &RecordKeys, now: Timestamp) -> Option<UnsignedEntry> {
    let PlacedEntry { game, kind, entry, salt } = placed;
    let at = serde_json::from_str::<LogEntry>(&entry).ok()?.at()?;
    let of_game = Opening { entry, salt: salt.map(Hex) }.logged().ok()?;
    if of_game != logged {
        return None;
    }
    let at = milliseconds(at.timestamp());
    let binding = bind_entry(game, kind, at, logged, keys, now).ok()?;
    Some(UnsignedEntry { game, kind, at, logged: of_game, binding })
}
