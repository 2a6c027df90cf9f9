//! The key ring: what tokens and records are signed with, and what refresh tokens follow from.
//!
//! Owns the three sets of secrets, their file and their public half. Token keys and record keys are
//! different types, in different sets, and never the same key. Secrets cannot be printed, compared or
//! serialised; one function alone writes them, into a file of mode 0600.

mod error;
mod file;
mod jwks;
mod pair;
mod record_keys;
mod refresh_key;
mod ring;
mod sealed;
mod secret;
mod token_keys;

pub use error::KeyError;
pub use estimation_record::Kid;
pub use jwks::{Jwk, Jwks};
pub use record_keys::{RecordKey, RecordKeys, RecordSignature};
pub use refresh_key::RefreshKey;
pub use ring::KeyRing;
pub use sealed::KeysSecret;
pub use token_keys::{ACCESS_TOKEN_LIFETIME, PUBLISHED_BEFORE_USE, TokenKey, TokenKeys};
