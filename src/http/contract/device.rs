//! The devices an account is signed in on.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;

/// A device that an account is signed in on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignedIn {
    /// The session's id.
    #[schema(min_length = 36, max_length = 36)]
    pub id: Uuid,
    /// What the client calls the device; null if it did not say.
    #[schema(required = true, min_length = 0, max_length = 80, example = "Noor's phone")]
    pub device: Option<String>,
    /// When it was signed in.
    pub created_at: Time,
    /// When it last got new tokens.
    pub last_used_at: Time,
    /// Whether it is the session that asks.
    pub current: bool,
}

/// The devices an account is signed in on, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignedInList {
    /// The devices.
    #[schema(max_items = 1000)]
    pub items: Vec<SignedIn>,
}
