//! The application: one function for each use case, and the clock, the entropy and the unit of work they
//! share. It knows no HTTP and no SQL.

pub mod accounts;
pub mod app;
pub mod audit;
pub mod calculator;
pub mod caller;
pub mod clock;
pub mod devices;
pub mod entropy;
mod erase;
pub mod export;
pub mod failure;
pub mod fairness;
pub mod games;
mod hashing;
pub mod histories;
pub mod ids;
mod key_changes;
pub mod key_source;
pub mod keys;
pub mod listing;
mod living;
pub mod login;
mod mac;
mod names;
pub mod once;
pub mod passwords;
mod profile;
pub mod record;
mod roles;
pub mod rulesets;
mod security;
pub mod sessions;
pub mod terms;
pub mod throttle;
pub mod tokens;
pub mod watch;
