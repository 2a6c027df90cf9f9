//! The claims of an access token.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

use estimation_engine::choice::Choice;

estimation_engine::choices! {
    /// The permissions of an account besides playing.
    pub enum Role {
        /// No further permissions.
        Player = "player",
        /// May read the records of all games.
        Auditor = "auditor",
        /// May act on players, decide reports, and read the records of games that are over as an auditor.
        Moderator = "moderator",
        /// May act on accounts, grant roles, list audit accesses, and look after the service.
        Admin = "admin",
    }
}

impl Role {
    pub const ALL: [Role; 4] = [Role::Player, Role::Auditor, Role::Moderator, Role::Admin];
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a role is player, auditor, moderator or admin")]
pub struct UnknownRole;

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Role, UnknownRole> {
        Role::from_name(text).ok_or(UnknownRole)
    }
}

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
