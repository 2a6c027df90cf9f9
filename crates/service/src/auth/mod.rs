//! Authentication: passwords, tokens, sessions, keys, and rate limits. It knows no HTTP.

pub mod active_keys;
mod authenticate;
pub(crate) mod authority;
pub mod caller;
pub mod devices;
pub(crate) mod hashing;
pub mod key_source;
pub mod keys;
pub(crate) mod link_token;
pub mod login;
pub mod passwords;
pub mod permission;
pub(crate) mod recovery_code;
mod refresh;
pub mod restrictions;
pub mod security;
pub(crate) mod session_cache;
pub mod sessions;
pub mod throttle;
pub mod tokens;
