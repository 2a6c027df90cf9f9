//! An event of the log as it is stored, and the head of a log.

use super::{Binding, Hash};

/// An event of a game's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// The game's version after it, from 1.
    pub seq: u64,
    /// The chain's hash at this event.
    pub hash: Hash,
    /// The exact canonical JSON that was hashed.
    pub body: String,
    /// The keyed hash of this head; on the last event of each append only.
    pub binding: Option<Binding>,
}

/// The head of a game's log: its last event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The game's version.
    pub seq: u64,
    /// The hash of its last event.
    pub hash: Hash,
}
