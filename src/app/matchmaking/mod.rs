//! Matchmaking: seating people at tables with strangers who want to play the same.
//!
//! Whoever waits has a seat already, at a public table in the lobby; a row of `matchmaking` says so, and comes
//! and goes in the transactions of that table's events. An account waits at one table at most. Whoever agreed
//! to bots waits with others who did, and bots come when the last of them agrees; whoever did not waits for
//! people alone. A full table starts by itself. The record has the host seat the bots and start, since it knows
//! of nobody else who may.

mod advance;
mod seek;
mod waiting;

pub use seek::Wish;
pub use waiting::{Waiting, WaitingStatus};
