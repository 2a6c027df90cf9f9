//! Compares the checkpoint that a service shows with the one that was kept. A service may show another log than the kept one.

use estimation_tlog::checkpoint::open;
use estimation_tlog::tree::{root, roots};
use estimation_tlog::{BundleId, Checkpoint, Hash, Note, TileSource, TreeError, VerifierKey};

use super::client::Client;
use super::outcome::Problem;
use estimation_record::LogEntry;

/// Checks that a log continues the checkpoint that was kept, if there is one, and that its tiles lead to the
/// checkpoint that it shows. Both checkpoints are signed by the log.
///
/// Only a contradiction between signed checkpoints is tampering: damaged tiles are not.
pub(super) fn compare<S: TileSource<Error = Problem>>(
    kept: Option<&Checkpoint>,
    shown: &Checkpoint,
    tiles: &mut S,
) -> Result<(), Problem> {
    match kept {
        Some(kept) if shown.size < kept.size => Err(rolled_back(kept, shown, tiles)),
        Some(kept) if shown.size == kept.size && shown.root != kept.root => {
            Err(Problem::tampered(format_args!(
                "the log forked: it signed two roots for {} entries, {} and {}",
                kept.size, kept.root, shown.root
            )))
        }
        Some(kept) => {
            let (old_root, new_root) = roots(tiles, kept.size, shown.size).map_err(unreadable)?;
            leads_to(new_root, shown)?;
            // The tiles lead to the signed root, so the log itself has another beginning.
            if old_root == kept.root {
                return Ok(());
            }
            Err(Problem::tampered(format_args!(
                "the log forked: its first {} entries have the root {old_root}, it signed {} for them before",
                kept.size, kept.root
            )))
        }
        None => leads_to(root(tiles, shown.size).map_err(unreadable)?, shown),
    }
}

/// A log that shows fewer entries than it signed. Its tiles tell whether these are at least the same entries.
fn rolled_back<S: TileSource<Error = Problem>>(
    kept: &Checkpoint,
    shown: &Checkpoint,
    tiles: &mut S,
) -> Problem {
    let still_served = match roots(tiles, shown.size, kept.size) {
        Ok((shown_root, kept_root)) if kept_root == kept.root => match shown_root == shown.root {
            true => "; it still serves the tiles of the larger log",
            false => ", and forked: it still serves the tiles of the larger log, which has other entries",
        },
        _ => "",
    };
    Problem::tampered(format_args!(
        "the log was rolled back: it has {} entries, it signed {} before{still_served}",
        shown.size, kept.size
    ))
}

pub(super) fn leads_to(root: Hash, shown: &Checkpoint) -> Result<(), Problem> {
    if root == shown.root {
        return Ok(());
    }
    Err(Problem::unchecked(format_args!(
        "the tiles are damaged: they lead to the root {root}, the checkpoint has {}",
        shown.root
    )))
}

pub(super) fn unreadable(error: TreeError<Problem>) -> Problem {
    match error {
        TreeError::Source(problem) => problem,
        error @ (TreeError::Width { .. } | TreeError::OutOfRange) => Problem::unchecked(error),
    }
}

/// A log whose last checkpoint was kept.
pub(super) struct KeptLog<'k> {
    pub(super) key: &'k VerifierKey,
    pub(super) checkpoint: &'k Checkpoint,
}

/// Reads from the first entry of the new log where the kept log ended. The new key is unknown, so only
/// statements that the kept log signed count as evidence.
pub(super) fn successor(client: &Client, kept: &KeptLog<'_>, note: &str) -> Problem {
    let origin = kept.key.name();
    let new: Checkpoint = match note.parse().ok().and_then(|note: Note| note.text().parse().ok()) {
        Some(new) => new,
        None => return Problem::unchecked("the checkpoint is damaged"),
    };
    let Some(last) = first_entry(client, &new).and_then(|text| open(&text, kept.key).ok()) else {
        return Problem::unchecked(format_args!(
            "the service has another log, {} instead of {origin}, which does not begin with a checkpoint of {origin}",
            new.origin
        ));
    };
    let (Checkpoint { size, root, .. }, kept) = (last.0, kept.checkpoint);
    if size < kept.size {
        return Problem::tampered(format_args!(
            "the log was rolled back: the new log {} begins after {size} entries of {origin}, which signed {} before",
            new.origin, kept.size
        ));
    }
    if size == kept.size && root != kept.root {
        return Problem::tampered(format_args!(
            "the log forked: {origin} signed two roots for {size} entries, {} and {root}, with which the new log {} begins",
            kept.root, new.origin
        ));
    }
    Problem::unchecked(format_args!(
        "the service has begun another log, {}, after {size} entries of {origin}, of which {} were kept: watch it with a \
         new file and the key that its operator publishes",
        new.origin, kept.size
    ))
}

/// The checkpoint in the first entry of a log, if the entry has one and is in the log.
fn first_entry(client: &Client, log: &Checkpoint) -> Option<String> {
    let id = BundleId::of_tree(log.size, 0)?;
    let leaves = (&mut &*client).tile(id.tile()).ok()?;
    if root(&mut &*client, log.size).ok()? != log.root {
        return None;
    }
    let bytes = client.entries(id).ok()?;
    match serde_json::from_slice(id.open(&bytes, &leaves).ok()?.first()?).ok()? {
        LogEntry::Origin { checkpoint } => Some(checkpoint),
        _ => None,
    }
}
