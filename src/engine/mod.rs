//! The rules of Estimation, pure: no input or output, no clock, no randomness of its own.

pub mod card;
pub mod card_set;
pub mod chance;
pub mod seat;
