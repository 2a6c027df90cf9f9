//! The rules of Estimation as pure functions: no input or output, no clock, no randomness.
//!
//! [`decide`] turns a command into events or a rejection, [`evolve`] applies an event, [`legal`] states which
//! commands are allowed, [`score`] scores a round. Clients see a game only through [`view`] and [`redact`].

#![warn(missing_docs)]

pub mod break_off;
pub mod card;
pub mod card_set;
pub mod chance;
pub mod choice;
pub mod client_seed;
pub mod command;
pub mod consequence;
pub mod decide;
pub mod event;
pub mod evolve;
mod follow_suit;
pub mod game;
pub mod hex;
pub mod hint;
pub mod legal;
pub mod listed;
pub mod outcome;
pub mod player;
pub mod redact;
pub mod rejection;
pub mod round;
pub mod ruleset;
#[cfg(feature = "schema")]
pub mod schema;
pub mod score;
pub mod seat;
pub mod seed;
pub mod sheet;
#[cfg(feature = "sql")]
mod sql;
pub mod stand_in;
pub mod table;
pub mod trick;
pub mod view;
