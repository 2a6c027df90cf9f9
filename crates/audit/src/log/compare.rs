//! Compares the checkpoint that a service shows with the one that was kept.

use estimation_tlog::TreeError;
use estimation_tlog::tree::{root, roots};
use estimation_tlog::{Checkpoint, Hash, TileSource};

use super::outcome::Problem;

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
