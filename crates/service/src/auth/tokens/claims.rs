//! The claims of an access token.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use estimation_store::role::Role;

/// The claims that the session and the account must confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenBinding {
    pub account: Uuid,
    pub session: Uuid,
    pub role: Role,
}

/// The contents of a new access token.
#[derive(Clone, Copy, Debug)]
pub struct Grant {
    pub binding: TokenBinding,
    /// How often the session was refreshed before.
    pub generation: i64,
    /// When the player signed in.
    pub signed_in_at: Timestamp,
    /// The latest end of the session; `None` for no limit.
    pub session_end: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// `sub`.
    pub account: Uuid,
    /// `sid`.
    pub session: Uuid,
    pub role: Role,
    /// `generation`: the access tokens of one refresh token have the same.
    pub generation: i64,
    /// `auth_time`, in whole seconds: when the player signed in.
    pub signed_in_at: Timestamp,
    /// `jti`.
    pub token: Uuid,
    /// `iat`, in whole seconds.
    pub issued_at: Timestamp,
    /// `nbf`.
    pub not_before: Option<Timestamp>,
    /// `exp`.
    pub expires_at: Timestamp,
}

/// The JSON claims of a token (RFC 9068).
#[derive(Serialize, Deserialize)]
pub(super) struct WireClaims {
    pub(super) iss: String,
    pub(super) aud: String,
    pub(super) sub: Uuid,
    pub(super) sid: Uuid,
    pub(super) role: Role,
    pub(super) generation: i64,
    pub(super) auth_time: i64,
    pub(super) iat: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) nbf: Option<i64>,
    pub(super) exp: i64,
    pub(super) jti: Uuid,
}

impl WireClaims {
    /// Parses the times; `None` if one is out of range.
    pub(super) fn read(&self) -> Option<Claims> {
        let time = |second| Timestamp::from_second(second).ok();
        Some(Claims {
            account: self.sub,
            session: self.sid,
            role: self.role,
            generation: self.generation,
            signed_in_at: time(self.auth_time)?,
            token: self.jti,
            issued_at: time(self.iat)?,
            not_before: match self.nbf {
                Some(second) => Some(time(second)?),
                None => None,
            },
            expires_at: time(self.exp)?,
        })
    }
}
