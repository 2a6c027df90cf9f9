//! A new log after the present one: under another name and with new keys, because the present log was rolled back, or its
//! key is lost or stolen.

use super::grow::append;
use crate::auth::keys::KeyRing;
use crate::base::failure::Failure;
use crate::public_log::failure::LogFailure;
use estimation_record::LogEntry;
use estimation_store::public_log::{EntryKind, QueuedEntry, tree};
use estimation_store::{Connection, Database, StoreError};
use estimation_tlog::Hash;

/// Begins a new log. Returns the name and the signed size of the former log.
///
/// # Errors
/// [`LogFailure::Origin`] if there is no log yet, or one of them has this name.
pub async fn begin_again(database: &Database, ring: &KeyRing, origin: &str) -> Result<String, LogFailure> {
    // All nodes are stopped, and will have it when they start.
    let kid = ring.record_keys().newest_kid().map(ToString::to_string);
    let kid = kid.ok_or_else(|| Failure::Defect("there is no record key".to_owned()))?;
    let origin = origin.to_owned();
    let begin = move |conn: &mut Connection| {
        let Some(former) = tree::find(conn)? else { return Ok(Err("there is no log yet".to_owned())) };
        if tree::is_taken(conn, &origin)? {
            return Ok(Err(format!("there is a log with the name {origin}")));
        }
        if !tree::lead(conn)? {
            return Ok(Err("a node is writing to the log: stop all nodes first".to_owned()));
        }
        tree::begin(conn, former.id + 1, &origin, &kid, &Hash::empty_root().0)?;
        let first = LogEntry::Origin { checkpoint: former.note };
        let first = first.text().map_err(|error| StoreError::Defect { detail: error.to_string() })?;
        let (game, kind, entered_at) = (None, EntryKind::Other, former.entered_at);
        let first = QueuedEntry { number: 0, game, kind, entry: first, entered_at, binding: None };
        if let Some(tree) = tree::find(conn)? {
            // In front of the entries that wait.
            append(conn, &tree, &[first])?;
        }
        Ok(Ok(format!("{} with {} entries", former.origin, former.signed_size)))
    };
    database.write(begin).await?.map_err(LogFailure::Origin)
}
