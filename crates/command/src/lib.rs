//! What the command lines share: printing, exit status, and an HTTP client.

mod agent;
pub mod terminal;

pub use self::agent::{agent, tls};

/// The reason a command failed, for people to read.
pub type Failed = Box<dyn std::error::Error + Send + Sync>;
