//! PostgreSQL connections, from the URL to diesel.
//!
//! `settings` reads the URL, with the driver's own parser and the options of `tls`. `tls` and `verifier` read
//! the files that it names. `connect` and `socket` open connections. `wire` and `session` wait for answers.
//! `silence` remembers servers that did not answer. `backend` identifies the server, `patience` asks it about a
//! COMMIT. `connection`, `row` and `error` implement diesel's traits.

mod backend;
mod connect;
mod connection;
mod error;
mod patience;
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

pub use backend::ServerId;
pub use connect::{ConnectError, connect_within_runtime};
pub use connection::PgConnection;
pub use error::{describe, sqlstate};
pub use session::Driver;
pub use settings::{OptionError, Settings};
