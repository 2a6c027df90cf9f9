//! HTTP: parses requests, authenticates callers, and answers. It has no rules of the game and no SQL.

mod address;
mod answer;
mod bearer;
mod body;
mod caching;
mod compression;
mod connection;
pub mod contract;
mod docs;
pub mod endpoints;
mod event_streams;
mod exchange;
pub mod field_errors;
mod histories;
mod history_cache;
mod idempotency;
mod language;
mod large_answers;
mod linked_apps;
mod parameters;
mod paths;
mod posted_command;
pub mod problem;
mod public_log;
mod rate;
mod security;
mod server;
mod spec;
mod static_body;
#[cfg(feature = "traces")]
mod trace;
mod web_app;
mod web_modules;

pub use connection::{ConnectionLimits, Timeouts};
pub use language::Language;
pub use linked_apps::{AndroidApp, AppleApp, LinkedApps};
pub use rate::RateSettings;
pub use security::SecuritySettings;
pub use server::{LiveSettings, ServerSettings, serve, serve_live, serve_metrics};
pub use spec::{Examples, Exchange, closed, openapi, openapi_text, openapi_with};
