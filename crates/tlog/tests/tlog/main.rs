//! Tests of the log's formats against published vectors, a naive tree, and changed bytes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod fuzz;
mod naive;
mod notes;
mod sizes;
mod support;
mod tampering;
mod tiles;
mod vectors;
mod witnesses;
