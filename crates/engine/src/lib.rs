//! The rules of Estimation, pure: no input or output, no clock, no randomness of its own.
//!
//! [`decide`] turns a command into events or a refusal, [`evolve`] applies an event, [`legal`] is the
//! single statement of what is allowed, [`score`] of what a round is worth, and [`view`] and [`redact`]
//! are the only doors out.

#![warn(missing_docs)]

pub mod attendance;
pub mod card;
pub mod card_set;
pub mod chance;
pub mod command;
pub mod consequence;
pub mod decide;
pub mod event;
pub mod evolve;
pub mod game;
pub mod legal;
pub mod outcome;
pub mod player;
pub mod redact;
pub mod rejection;
pub mod round;
pub mod ruleset;
pub mod score;
pub mod seat;
pub mod sheet;
pub mod table;
pub mod trick;
pub mod view;
