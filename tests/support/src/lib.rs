//! Shared by the tests of several packages: games played in memory, scenes, signed histories, and the second
//! verifier.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on should fail"
)]

pub mod acts;
pub mod fuzz;
pub mod log;
pub mod made;
pub mod play;
pub mod random;
pub mod scene;
pub mod second;
pub mod stacked;
pub mod tampered;
pub mod unseen;
pub mod vectors;

pub use play::{SeededChance, Table, account, every_variant, lively, random_variant, variant_of};
pub use random::Random;
