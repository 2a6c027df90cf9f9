//! A second reading of the rule book: a naive scorer and referee, written from `docs/rules` alone.
//!
//! It owns nothing of the engine and shares no code with it: it reads JSON and recomputes. Where the two
//! disagree, one of them misreads the rules. It never decides anything for the server and never optimises.
//!
//! - [`referee`] takes the complete record of one finished game and returns the totals by seat, or what is
//!   wrong and at which sequence number.
//! - [`score`] prices one round, [`possible`] says whether a round could have happened at all.

mod bidding;
mod cards;
mod dealing;
mod fixtures;
mod log;
mod play;
mod possible;
mod referee;
mod rules;
mod score;
pub mod vectors;

// `referee` is the integration point for tests that record real games.
#[allow(unused_imports)]
pub use possible::possible;
pub use referee::referee;
#[allow(unused_imports)]
pub use rules::Rules;
#[allow(unused_imports)]
pub use score::{Call, Kind, Round, Scored, score};
