//! The store on both databases.

mod accounts;
mod admission;
mod append;
mod append_only;
mod attempts;
mod batches;
mod deadlines;
mod full_disk;
mod games;
mod idempotency;
mod lost_commits;
mod migrations;
mod packed;
mod reading;
pub mod samples;
mod tls;
mod trouble;
mod urls;
