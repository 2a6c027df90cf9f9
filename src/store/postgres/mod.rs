//! PostgreSQL connections, from the URL to diesel.
//!
//! `options` and `settings` read the URL like libpq; `tls`, `verifier` and `passfile` read the files it
//! names; `connect` and `socket` open connections; `wire` and `session` wait for answers; `backend`
//! identifies the server; `connection` and `row` implement diesel's traits.

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
