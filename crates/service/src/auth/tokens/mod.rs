//! Tokens of clients.
//!
//! Owns the formats of tokens and their verification. It knows no accounts or sessions: a valid token of an
//! ended session is valid here.

mod access;
mod device;
pub(crate) mod provider;
mod refresh_token;

pub use access::{AccessToken, Claims, Grant, SigningFailed, TokenBinding, TokenError, TokenIssuer};
pub use device::{DeviceOwner, device_token, known_device};
pub use refresh_token::{NotARefreshToken, RefreshToken};

pub use super::keys::ACCESS_TOKEN_LIFETIME;
pub use estimation_store::role::{Role, UnknownRole};
