//! What the service does at a table by itself: it moves for bots and for those whose turn ran out, and ends
//! games that nobody goes on with.
//!
//! When something is due follows from the record ([`TurnClock`]); the row of a game says when to look. Any node
//! may look, and the version of the game decides that it is done once.

mod perform;
mod worker;

pub(super) use worker::Timers;
