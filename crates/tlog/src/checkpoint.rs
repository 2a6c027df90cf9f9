//! Checkpoints: the size and root of a log, signed by it (`c2sp.org/tlog-checkpoint`).

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::decimal::decimal;
use super::hash::Hash;
use super::key::{KeyName, VerifierKey};
use super::note::{BadNote, Note};

/// The size and root of a log at one time. As text: three lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log's unique name.
    pub origin: KeyName,
    /// The number of entries.
    pub size: u64,
    /// The root of the tree.
    pub root: Hash,
}

/// The text is not a checkpoint of the expected log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadCheckpoint {
    /// The note around it is malformed, or the log has not signed it.
    #[error(transparent)]
    Note(#[from] BadNote),
    /// The text is not exactly an origin, a size and a root. Extension lines are not accepted.
    #[error("not a checkpoint")]
    Form,
    /// The size is 0, and the root is not that of the empty tree.
    #[error("the root of an empty log is wrong")]
    EmptyRoot,
    /// The checkpoint is another log's.
    #[error("the checkpoint is of the log {found}, not {expected}")]
    Origin {
        /// The log that was asked for.
        expected: KeyName,
        /// The log in the checkpoint.
        found: KeyName,
    },
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}\n", self.origin, self.size, self.root)
    }
}

impl FromStr for Checkpoint {
    type Err = BadCheckpoint;

    fn from_str(text: &str) -> Result<Self, BadCheckpoint> {
        let mut lines = text.strip_suffix('\n').ok_or(BadCheckpoint::Form)?.split('\n');
        let (Some(origin), Some(size), Some(root), None) =
            (lines.next(), lines.next(), lines.next(), lines.next())
        else {
            return Err(BadCheckpoint::Form);
        };
        let origin = KeyName::new(origin).map_err(|_| BadCheckpoint::Form)?;
        let size = decimal(size).ok_or(BadCheckpoint::Form)?;
        let root = root.parse().map_err(|_| BadCheckpoint::Form)?;
        if size == 0 && root != Hash::empty_root() {
            return Err(BadCheckpoint::EmptyRoot);
        }
        Ok(Checkpoint { origin, size, root })
    }
}

/// Reads a signed checkpoint, and verifies the signature of its log. The key's name must be the origin.
///
/// # Errors
/// The note is malformed, is not signed with this key, or is not a checkpoint of this log.
pub fn open(note: &str, log: &VerifierKey) -> Result<(Checkpoint, Note), BadCheckpoint> {
    let note: Note = note.parse()?;
    Ok((verify(&note, log)?, note))
}

/// Reads the checkpoint of a note, and verifies the signature of its log. The key's name must be the origin.
///
/// # Errors
/// The note is not signed with this key, or is not a checkpoint of this log.
pub fn verify(note: &Note, log: &VerifierKey) -> Result<Checkpoint, BadCheckpoint> {
    let checkpoint: Checkpoint = note.text().parse()?;
    if checkpoint.origin != *log.name() {
        let (expected, found) = (log.name().clone(), checkpoint.origin);
        return Err(BadCheckpoint::Origin { expected, found });
    }
    note.verify(log)?;
    Ok(checkpoint)
}
