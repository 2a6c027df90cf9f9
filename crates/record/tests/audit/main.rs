//! The audit: real histories pass, and every change is found at its place.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on should fail"
)]

mod corpus;
mod fuzz;
mod hostile;
mod proofs;
mod second;
mod sound;
mod tampering;
mod values;
