//! The integration tests, in one binary.

mod databases;
mod store;
