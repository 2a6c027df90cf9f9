//! The bots: lawful in every position, blind to what they cannot see, and sensible in plain ones.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on should fail"
)]

mod budgets;
mod hidden;
mod judgement;
mod legal;
