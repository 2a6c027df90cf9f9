//! Accounts, sessions and keys.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{AccountId, CommandAnswer, Time, VersionOnly};

/// An account as its owner sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// The account's id.
    pub id: AccountId,
    /// The name to sign in with; null for a guest.
    #[schema(required = true, min_length = 3, max_length = 32, example = "noor")]
    pub username: Option<String>,
    /// The name others see.
    #[schema(min_length = 1, max_length = 40, example = "Noor")]
    pub display_name: String,
    /// Why the display name should be changed; null if it keeps to the rule. Names that are older than the rule
    /// are shown without what breaks it, or as a neutral name such as `Player 4821`.
    #[schema(required = true)]
    pub display_name_problem: Option<NameProblem>,
    /// Whether it has credentials, or is a guest's.
    pub kind: AccountKind,
    /// What its owner may do beside playing.
    pub role: Role,
    /// When it was made.
    pub created_at: Time,
}

/// What is wrong with a name that is older than the rule for names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NameProblem {
    /// The code of the problem with which the name would be refused today.
    #[schema(min_length = 1, max_length = 64, example = "character-not-allowed")]
    pub code: String,
    /// What is wrong, in words.
    #[schema(min_length = 1, max_length = 1000, example = "U+202E is a bidirectional control")]
    pub detail: String,
    /// The character that breaks the rule; null if it is not about one.
    #[schema(
        required = true,
        min_length = 6,
        max_length = 8,
        pattern = "^U\\+[0-9A-F]{4,6}$",
        example = "U+202E"
    )]
    pub character: Option<String>,
}

/// Whether an account has credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccountKind {
    /// It has a username and a password.
    Full,
    /// It lives as long as its sessions.
    Guest,
}

/// What an account's owner may do beside playing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Nothing.
    Player,
    /// Look at records.
    Auditor,
    /// Grant roles, and see who looked.
    Admin,
}

/// A session as its owner gets it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// The token for the `Authorization` header.
    #[schema(min_length = 1, max_length = 4096)]
    pub access_token: String,
    /// Always `Bearer`.
    #[schema(min_length = 6, max_length = 6, pattern = "^Bearer$", example = "Bearer")]
    pub token_type: String,
    /// Seconds the access token may be used.
    #[schema(minimum = 1, maximum = 86400, example = 900)]
    pub expires_in: u64,
    /// The token that gets the next session answer.
    #[schema(min_length = 46, max_length = 46, pattern = "^rt_[A-Za-z0-9_-]{43}$")]
    pub refresh_token: String,
    /// Seconds the refresh token may be used.
    #[schema(minimum = 1, maximum = 31536000, example = 2592000)]
    pub refresh_expires_in: u64,
    /// The session's id.
    pub session_id: Uuid,
    /// Seconds until the session ends, however much it is used; null if it has no such end.
    #[schema(required = true, minimum = 1, maximum = 3153600000u32, example = 15552000)]
    pub session_expires_in: Option<u64>,
    /// Shows that this device has signed in before: send it along when signing in again. Worth nothing
    /// without the password. It is known for 180 days, and until the password is changed: keep the newest.
    #[schema(min_length = 67, max_length = 67, pattern = "^dt_[A-Za-z0-9_-]{64}$")]
    pub device_token: String,
}

/// A set of public keys (RFC 7517).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Jwks {
    /// Token keys, oldest first, then record keys, oldest first.
    #[schema(max_items = 1000)]
    pub keys: Vec<Jwk>,
}

/// A public Ed25519 key (RFC 8037).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Jwk {
    /// Always `OKP`.
    #[schema(min_length = 1, max_length = 8)]
    pub kty: String,
    /// Always `Ed25519`.
    #[schema(min_length = 1, max_length = 16)]
    pub crv: String,
    /// Always `EdDSA`.
    #[schema(min_length = 1, max_length = 16)]
    pub alg: String,
    /// Always `sig`.
    #[schema(min_length = 1, max_length = 8)]
    pub r#use: String,
    /// The key's id: its thumbprint (RFC 7638).
    #[schema(min_length = 1, max_length = 64)]
    pub kid: String,
    /// The key, base64url.
    #[schema(min_length = 1, max_length = 64)]
    pub x: String,
    /// What the key signs: `access-token` or `record`.
    #[serde(rename = "estimation:purpose")]
    #[schema(min_length = 1, max_length = 32)]
    pub purpose: String,
    /// From when a record key was used.
    #[serde(rename = "estimation:created_at", default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 20, max_length = 35)]
    pub created_at: Option<String>,
    /// From when a record key signed nothing any more.
    #[serde(rename = "estimation:retired_at", default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 20, max_length = 35)]
    pub retired_at: Option<String>,
}

/// What a command came to: all of it, or with `Prefer: return=minimal` the version alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Played {
    /// Events and view.
    Whole(Box<CommandAnswer>),
    /// The version alone.
    Brief(VersionOnly),
}

/// A page for people.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 1, max_length = 10000)]
pub struct ProblemPage(pub String);

/// Server-sent events: each an `id` line with the event's sequence number, a hyphen and the first 16 digits of its
/// hash, and a `data` line with the event as in the log. Control frames have an `event` line: `end`, `reconnect`, and
/// `reset` with an `id`, and `data` of `version` and `head` as in a view.
#[derive(ToSchema)]
#[schema(value_type = String)]
pub struct EventFrames(pub String);

/// Server-sent events: each an `event` line (`your_turn`, `invited`, `started`, `finished`) and a `data` line
/// with `game`, `version` and `status`.
#[derive(ToSchema)]
#[schema(value_type = String)]
pub struct NewsFrames(pub String);
