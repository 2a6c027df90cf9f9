//! The key ring: the keys that sign tokens, records and pushes, and the key that derives refresh tokens.
//!
//! Token keys and record keys are different types, in different sets, and never the same key. Secrets cannot
//! be printed, compared or serialised; only one function writes them, to a file with mode 0600.

mod binding;
mod error;
mod file;
pub(crate) mod head;
mod jwks;
mod log_keys;
mod push_key;
mod record_keys;
mod ring;
mod sealed;
mod secret;
mod token_keys;

pub use binding::{BindingCheck, Bound};
pub use error::KeyError;
pub use estimation_record::Kid;
pub use jwks::{Jwk, Jwks};
pub use log_keys::{LogKey, LogKeys};
pub use push_key::PushKey;
pub use record_keys::{RecordKey, RecordKeys, RecordSignature};
pub use ring::KeyRing;
pub use sealed::KeysSecret;
pub use secret::{PUBLISHED_BEFORE_USE, RefreshKey};
pub use token_keys::{ACCESS_TOKEN_LIFETIME, TokenKey, TokenKeys};
