//! The rules: scenes of the rule book, and properties of random games.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on should fail"
)]

mod auctions;
mod break_offs;
mod carries;
mod dash_calls;
mod endings;
mod fast_rounds;
mod hints;
mod jokers;
mod prelude;
mod properties;
mod redeals;
mod revokes;
mod seats_and_cuts;
mod turns;
mod vectors;
mod views;
mod zeros;
