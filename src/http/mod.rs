//! HTTP: parses requests, authenticates callers, and answers. It has no rules of the game and no SQL.

mod address;
mod answer;
mod bearer;
mod body;
mod caching;
mod common;
mod compression;
mod connection;
pub mod contract;
mod cors;
mod docs;
pub mod endpoints;
mod etag;
mod exchange;
pub mod field_errors;
mod history_cache;
mod idempotency;
mod language;
mod large_answers;
mod linked_apps;
mod metrics;
mod parameters;
mod paths;
mod pieces;
pub mod problem;
mod public_log;
mod rate;
mod refused_authorizations;
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
pub use metrics::serve_metrics;
pub use rate::RateSettings;
pub use security::SecuritySettings;
pub use server::{LiveSettings, ServerSettings, serve, serve_live};
pub use spec::{Examples, Exchange, closed, openapi, openapi_text, openapi_with};
