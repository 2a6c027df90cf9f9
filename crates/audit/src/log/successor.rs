//! What follows from a service that shows another log than the one that was kept.

use estimation_record::LogEntry;
use estimation_tlog::checkpoint::open;
use estimation_tlog::tree::root;
use estimation_tlog::{BundleId, Checkpoint, Note, TileSource, VerifierKey};

use super::client::Client;
use super::outcome::Problem;

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
