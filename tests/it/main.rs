//! The integration tests, in one binary.

mod contract;
mod engine;
mod naive;
