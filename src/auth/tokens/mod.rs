//! Tokens: what a client shows to say who it is.
//!
//! Owns the form of access and refresh tokens and the checks of both. It knows no accounts and no sessions:
//! whether a session still lives is the sessions' business, and a valid token of a dead session is valid
//! here.

mod access;
mod claims;
mod device;
mod eddsa;
mod refresh;
mod verified;

pub use access::{AccessToken, SigningFailed, TokenError, TokenIssuer};
pub use claims::{Claims, Role, TokenBinding, UnknownRole};
pub use device::{DeviceOwner, device_token, known_device};
pub use refresh::{NotARefreshToken, RefreshToken};

pub use super::keys::ACCESS_TOKEN_LIFETIME;
