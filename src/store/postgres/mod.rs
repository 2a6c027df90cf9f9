//! PostgreSQL: connections to it, from the URL to diesel.
//!
//! `options` and `settings` read the URL as libpq would, `tls`, `verifier` and `passfile` what it names; `connect`
//! and `socket` open connections, `wire` and `session` wait on them, `backend` asks the other end about itself, `connection` and `row`
//! are what diesel sees of it.

mod backend;
mod connect;
mod connection;
mod error;
mod options;
mod passfile;
mod row;
mod session;
mod settings;
mod silence;
mod socket;
#[cfg(test)]
mod tests;
mod tls;
mod verifier;
mod wire;

pub use connection::PgConnection;
pub use options::OptionError;

pub(super) use backend::ServerId;
pub(super) use connect::{ConnectError, connect_within_runtime};
pub(super) use error::{describe, sqlstate};
pub(super) use settings::Settings;
