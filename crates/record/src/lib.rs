//! The record of a game: the bytes that are stored, published and hashed, and their verification.
//!
//! Contains canonical JSON, the hash chain, deals from seeds, signed statements and the verifier. It is pure:
//! bytes in, findings out. It reads no clock; random bytes come from the caller as an [`entropy::Entropy`].

#![warn(missing_docs)]

mod canonical;
mod chain;
pub mod entropy;
mod envelope;
pub mod fairness;
mod forms;
mod game_start;
pub mod hmac;
mod kid;
mod log_entry;
#[cfg(feature = "sql")]
mod sql;
mod statement;
mod time;
pub mod turn_clock;
pub mod verify;

pub use canonical::{NotCanonical, canonical_json};
pub use chain::{GENESIS, Hash, chain};
pub use envelope::Envelope;
pub use game_start::GameStart;
pub use kid::{KID_TAG, Kid};
pub use log_entry::{LogEntry, LogPromise, Opening, pseudonym, ruleset_hash};
pub use statement::GameEnd;
pub use time::{NotARecordTime, RecordTime};
