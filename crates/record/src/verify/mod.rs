//! The audit: histories of games verified from their bytes alone, by somebody who trusts nobody.
//!
//! Owns the form in which histories are handed out, and every check of them: the chain, the times, each
//! actor, each command against the rules, each consequence, each deal against the seeds, the scores, the
//! signature, the list of ended games. It needs no database and no network, reads whatever it is given as
//! hostile, and never panics on it.

mod body;
mod bundle;
mod dealt;
mod finding;
mod list;
mod piece;
mod read;
mod recorded;
mod replay;
mod soundness;
mod trust;
mod verifier;

pub use bundle::{Audit, Report};
pub use finding::{Finding, Rule};
pub use piece::{End, EventLine, FORMAT, Header, ListedLine, Piece, SignatureLine, SignedCheckpoint, Status};
pub use read::read;
pub use recorded::pack_of;
pub use trust::{BadKey, Trust};
pub use verifier::{Verdict, Verifier};
