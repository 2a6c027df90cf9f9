//! The application: one function for each use case, and the clock, the entropy and the unit of work they
//! share. It knows no HTTP and no SQL.

pub mod accounts;
pub mod app;
pub mod audit;
pub mod calculator;
pub mod caller;
pub mod clock;
pub mod entropy;
pub mod failure;
pub mod fairness;
pub mod games;
pub mod histories;
pub mod ids;
pub mod keys;
pub mod listing;
mod mac;
mod names;
pub mod once;
pub mod passwords;
pub mod record;
pub mod rulesets;
pub mod sessions;
pub mod terms;
pub mod tokens;
pub mod watch;
