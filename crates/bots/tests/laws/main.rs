//! The bots: legal in every position, independent of hidden cards, and sensible in simple positions.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on should fail"
)]

mod budgets;
mod certain;
mod hidden;
mod judgement;
mod legal;
