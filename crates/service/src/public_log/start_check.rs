//! The condition for a signature: a signed checkpoint of this log, or of a former one, has the start that was promised, and
//! it is the start of the game's own log.

use super::comparison::{Comparable, start_faults};
use super::promise::promise_statement;
use super::{StoredTiles, unreadable, verifiers_of};
use crate::auth::keys::RecordKeys;
use crate::auth::keys::head::is_adopted;
use estimation_record::{LogEntry, RecordTime};
use estimation_store::public_log::audit_reads::{self, LoggedStart};
use estimation_store::public_log::tree::{self, Tree};
use estimation_store::{Connection, GameId, StoreError, public_log};
use estimation_tlog::checkpoint::open;
use estimation_tlog::proof::verify_inclusion;
use estimation_tlog::tree::inclusion_proof;
use estimation_tlog::{Checkpoint, Hash, Note};

/// What the public log says about the start of a game.
pub(crate) enum StartCheck {
    /// It has the start, or the game never started.
    Recorded,
    /// The start waits for its position, or for the next checkpoint.
    Waits,
    /// It does not have the start that the game's log has. With the reason.
    Refused { is_missing: bool, detail: String },
}

/// Compares a game with its start in the public log.
pub(crate) fn check_start(
    conn: &mut Connection,
    keys: &RecordKeys,
    game: &Comparable<'_>,
) -> Result<StartCheck, StoreError> {
    let stored = audit_reads::find(conn, game.id)?;
    let faults = start_faults(conn, game, stored.as_ref(), &|conn, start, at| {
        is_promised(conn, keys, (game.id, start), at)
    })?;
    if let Some(fault) = faults.first() {
        let is_missing = stored.is_none_or(|stored| stored.start.is_none());
        return Ok(StartCheck::Refused { is_missing, detail: (*fault).to_owned() });
    }
    let Some(stored) = stored.filter(|stored| stored.start.is_some()) else {
        return Ok(StartCheck::Recorded);
    };
    let (Some(start), Some(position)) = (stored.start, stored.start_position) else {
        return Ok(StartCheck::Waits);
    };
    is_signed(conn, keys, position, Hash(start.promise.leaf))
}

/// Whether a record key signed the promise of a start, for one of the logs. After the keys were lost, the adoption of the
/// game stands for the promise.
pub(super) fn is_promised(
    conn: &mut Connection,
    keys: &RecordKeys,
    (game, start): (GameId, &LoggedStart),
    at: RecordTime,
) -> Result<bool, StoreError> {
    let Some(key) = keys.find(&start.promise.kid) else { return is_adopted(conn, game, keys) };
    for origin in tree::origins(conn)? {
        let statement = promise_statement(&origin, &start.promise, at).ok().flatten();
        if statement.is_some_and(|statement| key.verify(&statement, &start.promise.signature)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the last checkpoint of a log has a leaf at a position.
fn is_signed(
    conn: &mut Connection,
    keys: &RecordKeys,
    (log, position): (i32, u64),
    leaf: Hash,
) -> Result<StartCheck, StoreError> {
    let refused = |detail: &str| Ok(StartCheck::Refused { is_missing: false, detail: detail.to_owned() });
    let Some(tree) = tree::find_log(conn, log)? else {
        return refused("the public log that should have the start is not there");
    };
    if position >= tree.signed_size {
        return match tree::find(conn)? {
            Some(newest) if newest.id != log => {
                refused("no checkpoint of the former public log has the position of the start")
            }
            _ => Ok(StartCheck::Waits),
        };
    }
    // Without the key of a former log, the entry of the next one that names this checkpoint stands for it.
    let signed = match verifiers_of(&tree, keys) {
        Some(verifiers) => open(&tree.note, &verifiers.log).ok().map(|(checkpoint, _)| checkpoint),
        None if !is_continued(conn, &tree)? => None,
        None => tree.note.parse::<Note>().ok().and_then(|note| note.text().parse::<Checkpoint>().ok()),
    };
    let Some(signed) = signed.filter(|signed| signed.size == tree.signed_size) else {
        return refused("the checkpoint of the public log is not signed by its key");
    };
    let proof = inclusion_proof(&mut StoredTiles { conn, log }, position, signed.size).map_err(unreadable)?;
    match verify_inclusion(leaf, position, signed.size, &proof, signed.root) {
        Ok(()) => Ok(StartCheck::Recorded),
        Err(_) => refused("the public log has another entry in place of the promised start"),
    }
}

/// Whether a later log begins with the last checkpoint of this one.
fn is_continued(conn: &mut Connection, former: &Tree) -> Result<bool, StoreError> {
    for log in audit_reads::logs(conn)?.into_iter().filter(|log| log.id > former.id) {
        let first = public_log::entries(conn, log.id, 0, 1)?.pop();
        let first = first.and_then(|entry| serde_json::from_str::<LogEntry>(&entry).ok());
        if matches!(first, Some(LogEntry::Origin { checkpoint }) if checkpoint == former.note) {
            return Ok(true);
        }
    }
    Ok(false)
}
