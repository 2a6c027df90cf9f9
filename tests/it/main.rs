//! The integration tests, in one binary.

mod engine;
mod naive;
