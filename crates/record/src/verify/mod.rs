//! The audit: verifies histories of games from their bytes alone, trusting nobody.
//!
//! Contains the published form of histories and every check: the chain, times, actors, commands against the
//! rules, consequences, deals against the seeds, scores, the signature, and the starts and ends in the public log. It needs no
//! database and no network, treats its input as hostile, and never panics on it.

mod body;
mod bundle;
mod dealt;
mod finding;
mod logged;
mod piece;
mod read;
mod recorded;
mod replay;
mod seeds;
mod soundness;
mod trust;
mod values;
mod verifier;

pub use bundle::{Audit, Report, Unchecked};
pub use finding::{Finding, Rule};
pub use logged::{Adoption, Conflict, Difference, GameBounds, LoggedEntry, LoggedGame};
pub use piece::{
    End, EventLine, FORMAT, Header, KeySet, MAX_LOG_KEYS, MAX_ORIGINS, Piece, Proofs, SignatureLine, Status,
};
pub use read::{Sink, read};
pub use seeds::SeedCounts;
pub use trust::{BadKey, SignatureProblem, Trust};
pub use values::{TURN_SECONDS, opening_seconds};
pub use verifier::{Verdict, Verifier};
