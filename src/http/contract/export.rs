//! Everything that is held about an account.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Account, AccountId, GameId, Rating, Role, RulesetId, SeatNumber, Time};

/// Everything that is held about an account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Export {
    /// When it was put together.
    pub exported_at: Time,
    /// The account itself.
    pub account: Account,
    /// Its display name as it is stored. `display_name` in `account` is what others see.
    #[schema(min_length = 1, max_length = 2560)]
    pub stored_display_name: String,
    /// How often its password was changed.
    #[schema(minimum = 0, maximum = 2147483647)]
    pub password_changes: i32,
    /// Its sessions, ended ones included, oldest first.
    #[schema(max_items = 1000000)]
    pub sessions: Vec<ExportedSession>,
    /// Where it sits or sat.
    #[schema(max_items = 1000000)]
    pub games: Vec<ExportedSeat>,
    /// What its finished games count, oldest first.
    #[schema(max_items = 1000000)]
    pub results: Vec<ExportedResult>,
    /// How strong it is, by ruleset.
    #[schema(max_items = 100)]
    pub ratings: Vec<ExportedRating>,
    /// What it waits for with strangers, or has begun to play with them; null if nothing.
    #[schema(required = true)]
    pub matchmaking: Option<ExportedWait>,
    /// What it did with idempotency keys in the last day.
    #[schema(max_items = 1000000)]
    pub requests: Vec<ExportedRequest>,
    /// The roles it was given.
    #[schema(max_items = 1000000)]
    pub roles: Vec<ExportedGrant>,
}

/// A session, and the times of its refresh tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedSession {
    /// Its id.
    #[schema(min_length = 36, max_length = 36)]
    pub id: String,
    /// What the client called the device.
    #[schema(required = true, min_length = 0, max_length = 80)]
    pub device: Option<String>,
    /// When it began.
    pub created_at: Time,
    /// When it last got new tokens.
    pub last_used_at: Time,
    /// When it ended; null while it lives.
    #[schema(required = true)]
    pub ended_at: Option<Time>,
    /// Its refresh tokens, of which only times can be told.
    #[schema(max_items = 1000000)]
    pub refresh_tokens: Vec<ExportedToken>,
}

/// When a refresh token was given out and used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedToken {
    /// When it was given out.
    pub issued_at: Time,
    /// When its time is over.
    pub expires_at: Time,
    /// When it was exchanged; null while it is unused.
    #[schema(required = true)]
    pub used_at: Option<Time>,
}

/// A place at a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedSeat {
    /// The game.
    pub game: GameId,
    /// The place, in order of sitting down.
    pub place: SeatNumber,
}

/// What a finished game counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedResult {
    /// The game.
    pub game: GameId,
    /// The ruleset.
    pub ruleset: RulesetId,
    /// The seat.
    pub seat: SeatNumber,
    /// The rank, from 1; those who gave the game up share the last.
    #[schema(minimum = 1, maximum = 5)]
    pub rank: u8,
    /// The final total of the seat.
    pub total: i32,
    /// How many rounds were played; none of a game that was given up.
    #[schema(minimum = 0, maximum = 255)]
    pub rounds: u8,
    /// In how many of them the call was made.
    #[schema(minimum = 0, maximum = 255)]
    pub rounds_made: u8,
    /// Whether the game was given up.
    pub forfeited: bool,
    /// When it ended.
    pub ended_at: Time,
}

/// How strong the account is in a ruleset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedRating {
    /// The ruleset.
    pub ruleset: RulesetId,
    /// The rating.
    pub rating: Rating,
}

/// A seat among strangers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedWait {
    /// The game.
    pub game: GameId,
    /// Since when the account waits, or did.
    pub since: Time,
    /// From when it agreed to bots; null for never.
    #[schema(required = true)]
    pub bots_at: Option<Time>,
}

/// A request with an idempotency key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedRequest {
    /// The HTTP method.
    #[schema(min_length = 1, max_length = 16)]
    pub method: String,
    /// The path.
    #[schema(min_length = 1, max_length = 2048)]
    pub path: String,
    /// When.
    pub created_at: Time,
}

/// A grant of a role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedGrant {
    /// The role since.
    pub role: Role,
    /// The role before.
    pub former_role: Role,
    /// The admin's account; null for the command line.
    #[schema(required = true)]
    pub granted_by: Option<AccountId>,
    /// When.
    pub created_at: Time,
}
