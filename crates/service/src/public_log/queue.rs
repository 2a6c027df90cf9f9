//! Which rows of the queue are entered: those that a node wrote, and that are the entry of their game and have no position
//! yet. Others are refused, and hold up none.

use super::entries::{bind_entry, statement};
use crate::auth::keys::head::check_adopted;
use crate::auth::keys::{BindingCheck, Bound, RecordKeys};
use estimation_engine::hex::Hex;
use estimation_record::{LogEntry, Opening};
use estimation_store::adopted_heads::{self, AdoptedHead};
use estimation_store::event_reads::Head;
use estimation_store::public_log::{self, EntryKind, QueuedEntry, Waiting, audit_reads};
use estimation_store::{Binding, Connection, GameId, StoreError};
use jiff::Timestamp;

/// What a row of the queue is worth.
pub(super) enum Worth {
    Entry(QueuedEntry),
    /// This node does not have its key.
    UnknownKey(QueuedEntry),
    /// With the reason.
    Refused(String),
}

pub(super) fn worth(conn: &mut Connection, waiting: Waiting, keys: &RecordKeys) -> Result<Worth, StoreError> {
    let entry = match waiting.entry {
        Ok(entry) => entry,
        Err(error) => return Ok(Worth::Refused(error.to_string())),
    };
    let (Some(game), Some(binding)) = (entry.game, entry.binding) else {
        return Ok(Worth::Refused("it is of no game".to_owned()));
    };
    let check = check_entry(game, &entry, &binding, keys);
    if check == BindingCheck::Forged {
        return Ok(Worth::Refused("no node has written it".to_owned()));
    }
    if !is_due(conn, game, &entry, keys)? {
        return Ok(Worth::Refused("its game has another entry, or has it in the log".to_owned()));
    }
    Ok(if check == BindingCheck::Sound { Worth::Entry(entry) } else { Worth::UnknownKey(entry) })
}

/// Checks the binding of a waiting entry.
pub(crate) fn check_entry(
    game: GameId,
    entry: &QueuedEntry,
    binding: &Binding,
    keys: &RecordKeys,
) -> BindingCheck {
    keys.check(Bound::Entry, &statement(game, entry.kind, entry.entered_at, &entry.entry), binding)
}

/// Whether the game of a waiting entry has this entry, and no position for it.
fn is_due(
    conn: &mut Connection,
    game: GameId,
    entry: &QueuedEntry,
    keys: &RecordKeys,
) -> Result<bool, StoreError> {
    if entry.kind == EntryKind::Adopted {
        let adopted = match adopted_heads::of_game(conn, game) {
            Err(StoreError::Corrupt { .. }) => return Ok(false),
            adopted => adopted?,
        };
        let stored = adopted.iter().find(|adopted| adopted.logged == entry.entry);
        return Ok(stored.is_some_and(|adopted| {
            adopted.position.is_none() && check_adoption(game, adopted, keys) != BindingCheck::Forged
        }));
    }
    let known = match audit_reads::find(conn, game) {
        Ok(Some(known)) => known,
        Ok(None) | Err(StoreError::Corrupt { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    let (stored, position) = match entry.kind {
        EntryKind::Start => (known.start.map(|start| (start.entry, start.salt)), known.start_position),
        EntryKind::End => (known.end, known.end_position),
        EntryKind::Adopted | EntryKind::Other => return Ok(false),
    };
    let logged = stored.and_then(|(entry, salt)| Opening { entry, salt: salt.map(Hex) }.logged().ok());
    Ok(position.is_none() && logged.as_ref() == Some(&entry.entry))
}

/// Checks that an adopted head is the one that its entry states, and that a node bound both.
pub(crate) fn check_adoption(game: GameId, adopted: &AdoptedHead, keys: &RecordKeys) -> BindingCheck {
    match stated_head(game, adopted) {
        Some(head) => check_adopted(game, head, adopted, keys),
        None => BindingCheck::Forged,
    }
}

/// The head that the entry of an adoption states; none if it is another entry than what the log has, or of another head.
pub(crate) fn stated_head(game: GameId, adopted: &AdoptedHead) -> Option<Head> {
    let entry: LogEntry = serde_json::from_str(&adopted.entry).ok()?;
    let LogEntry::Adopted { game: of, events, head: Hex(hash), .. } = entry else { return None };
    let opening = Opening { entry: adopted.entry.clone(), salt: adopted.salt.map(Hex) };
    let is_of = (of, events) == (game.0, adopted.seq) && entry.text().ok()? == adopted.entry;
    (is_of && opening.logged().ok()? == adopted.logged).then_some(Head { seq: events, hash })
}

/// Binds rows of the queue whose keys are lost to the key that signs now. Returns how many.
pub(crate) fn adopt_entries(
    conn: &mut Connection,
    keys: &RecordKeys,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let mut adopted = 0;
    for waiting in public_log::queue(conn)? {
        let number = waiting.number;
        let Worth::UnknownKey(entry) = worth(conn, waiting, keys)? else { continue };
        let Some(game) = entry.game else { continue };
        let bound = bind_entry(game, entry.kind, entry.entered_at, &entry.entry, keys, now);
        let bound = bound.map_err(|error| StoreError::Defect { detail: error.to_string() })?;
        public_log::bind_again(conn, number, &bound)?;
        adopted += 1;
    }
    Ok(adopted)
}
