//! The record of a game: what is written down of every event, and the chain that holds it together.
//!
//! Owns the bytes that are stored, published and hashed. It never reads a clock and never decides what
//! happened.

mod canonical;
mod chain;
mod envelope;
mod sorting;
mod statement;
mod time;

pub use canonical::{NotCanonical, canonical_json};
pub use chain::{GENESIS, chain};
pub use envelope::Envelope;
pub use statement::{Checkpoint, GameEnd, ListedGame};
pub use time::{NotARecordTime, RecordTime};
