//! The request context for the database: its deadline, and whether it has changed anything.

pub use estimation_store::request::{in_time, renew, run};
