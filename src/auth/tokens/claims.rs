//! What a token says: about whom, for which session, in which role, until when.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

/// What an account may do beside playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Plays, and nothing else.
    Player,
    /// May look at records.
    Auditor,
    /// May grant roles and see who looked.
    Admin,
}

impl Role {
    pub const ALL: [Role; 3] = [Role::Player, Role::Auditor, Role::Admin];

    /// The role's name: `player`, `auditor` or `admin`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::Player => "player",
            Role::Auditor => "auditor",
            Role::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a role is player, auditor or admin")]
pub struct UnknownRole;

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Role, UnknownRole> {
        Role::ALL.into_iter().find(|role| role.as_str() == text).ok_or(UnknownRole)
    }
}

/// What an access token is asked to say, and what its session and its account have to bear out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenBinding {
    pub account: Uuid,
    /// The session it belongs to and dies with.
    pub session: Uuid,
    pub role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Who it is for (`sub`).
    pub account: Uuid,
    /// The session it belongs to (`sid`).
    pub session: Uuid,
    pub role: Role,
    /// The token's own id (`jti`).
    pub token: Uuid,
    /// When it was issued, in whole seconds (`iat`).
    pub issued_at: Timestamp,
    /// From when it may be used, if it says so (`nbf`).
    pub not_before: Option<Timestamp>,
    /// From when it may be used no more (`exp`).
    pub expires_at: Timestamp,
}

/// The claims as they stand in the token (RFC 9068).
#[derive(Serialize, Deserialize)]
pub(super) struct WireClaims {
    pub(super) iss: String,
    pub(super) aud: String,
    pub(super) sub: Uuid,
    pub(super) sid: Uuid,
    pub(super) role: Role,
    pub(super) iat: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) nbf: Option<i64>,
    pub(super) exp: i64,
    pub(super) jti: Uuid,
}

impl WireClaims {
    /// The claims with their times read; none where a time is past the end of time.
    pub(super) fn read(&self) -> Option<Claims> {
        let time = |second| Timestamp::from_second(second).ok();
        Some(Claims {
            account: self.sub,
            session: self.sid,
            role: self.role,
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
