//! What an export of an account looks like.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::accounts::Account;
use crate::accounts::changes::AccountChange;
use crate::auth::tokens::Role;
use crate::moderation::{ModerationAction, Report};
use crate::notifications::{NoticeKind, NotificationChoices};
use crate::people::PeopleSettings;
use crate::players::rating::RatingView;
use crate::reactions::Reaction;
use estimation_engine::break_off::BreakOffKind;
use estimation_engine::hex::Hex;
use estimation_engine::player::AccountId;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::{Place, Seat};
use estimation_record::RecordTime;
use estimation_store::GameId;

/// All data held about an account. Moves are in the games' records, which name accounts by id.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Export {
    /// When the export was made.
    pub exported_at: RecordTime,
    /// The account.
    pub account: Account,
    /// The number of times that the password was changed.
    #[schema(minimum = 0, maximum = 2147483647)]
    pub password_changes: i32,
    /// The sessions, ended ones included, oldest first.
    #[schema(max_items = 1000000)]
    pub sessions: Vec<ExportedSession>,
    /// The games in which the account has or had a place.
    #[schema(max_items = 1000000)]
    pub games: Vec<ExportedSeat>,
    /// The results of finished games, oldest first.
    #[schema(max_items = 1000000)]
    pub results: Vec<ExportedResult>,
    /// What the account broke off, as its public statistics count it, oldest first.
    #[schema(max_items = 1000000)]
    pub broken_off: Vec<ExportedBreakOff>,
    /// The ratings, one for each ruleset with a rated game.
    #[schema(max_items = 100)]
    pub ratings: Vec<ExportedRating>,
    /// The entry in the matchmaking queue, while the account waits and after it was seated; null if there is
    /// none.
    pub matchmaking: Option<ExportedWait>,
    /// The requests with idempotency keys that the server still stores; by default those of the last 24 hours.
    #[schema(max_items = 1000000)]
    pub requests: Vec<ExportedRequest>,
    /// The roles that the account was granted.
    #[schema(max_items = 1000000)]
    pub roles: Vec<ExportedGrant>,
    /// What proves which pseudonym of the public log is the account's, for each started game.
    #[schema(max_items = 1000000)]
    pub pseudonyms: Vec<ExportedPseudonym>,
    /// Who issuers say that the player is, oldest first.
    #[schema(max_items = 16)]
    pub identities: Vec<ExportedIdentity>,
    /// The verified email address; null for none.
    pub email: Option<ExportedEmail>,
    /// The changes of the ways into the account of the last 90 days, newest first.
    #[schema(max_items = 1000000)]
    pub account_changes: Vec<AccountChange>,
    /// The number of recovery codes that are not used.
    #[schema(minimum = 0, maximum = 10)]
    pub recovery_codes: i64,
    /// Since when sign-ins need a second step; null if they need none.
    pub second_step_since: Option<RecordTime>,
    /// The number of codes for the second step that are not used.
    #[schema(minimum = 0, maximum = 10)]
    pub second_step_codes: i64,
    /// What the account chose about notices; null if it chose nothing.
    pub notification_choices: Option<NotificationChoices>,
    /// The notices of the last days, oldest first.
    #[schema(max_items = 1000000)]
    pub notifications: Vec<ExportedNotice>,
    /// Where browsers take pushes.
    #[schema(max_items = 16)]
    pub push_subscriptions: Vec<ExportedPushSubscription>,
    /// Friends, sent requests for friendship, blocked players and muted players, newest first.
    #[schema(max_items = 1000000)]
    pub relations: Vec<ExportedRelation>,
    /// How others may find the player.
    pub people_settings: PeopleSettings,
    /// The code with which others find the player; null for none.
    #[schema(min_length = 12, max_length = 12)]
    pub friend_code: Option<String>,
    /// The invitations to tables that the player sent and got, oldest first.
    #[schema(max_items = 1000000)]
    pub invitations: Vec<ExportedInvitation>,
    /// What the player said at tables in the last 30 days, oldest first.
    #[schema(max_items = 1000000)]
    pub reactions: Vec<ExportedReaction>,
    /// The reports and appeals of the player, newest first.
    #[schema(max_items = 1000000)]
    pub reports: Vec<Report>,
    /// What moderators did to the account, newest first.
    #[schema(max_items = 1000000)]
    pub moderation: Vec<ModerationAction>,
}

/// What the account wants of another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedRelation {
    /// What it is: `friend`, `request`, `block` or `mute`.
    #[schema(min_length = 1, max_length = 16)]
    pub kind: String,
    /// The other account.
    pub player: AccountId,
    /// Since when.
    pub since: RecordTime,
}

/// An invitation to a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedInvitation {
    /// The invitation's id.
    pub id: Uuid,
    /// The game's id.
    pub game: GameId,
    /// Who invited.
    pub from: AccountId,
    /// Who was invited.
    pub to: AccountId,
    /// When.
    pub created_at: RecordTime,
}

/// What the account said at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedReaction {
    /// The game's id.
    pub game: GameId,
    /// The reaction.
    #[schema(value_type = Reaction)]
    pub reaction: String,
    /// When.
    pub at: RecordTime,
}

/// An email address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedEmail {
    /// The address.
    #[schema(min_length = 3, max_length = 254)]
    pub address: String,
    /// When it was verified.
    pub verified_at: RecordTime,
}

/// An identity of an issuer that signs in to the account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedIdentity {
    /// The identity's id.
    pub id: Uuid,
    /// The issuer's URL.
    #[schema(min_length = 1, max_length = 2000)]
    pub issuer: String,
    /// The issuer's name for the player.
    #[schema(min_length = 1, max_length = 255)]
    pub subject: String,
    /// How the issuer knows the app.
    #[schema(min_length = 1, max_length = 255)]
    pub audience: String,
    /// Whether the server has a token with which it revokes the player's grant when the account is deleted.
    pub revocable: bool,
    /// When the identity was linked.
    pub linked_at: RecordTime,
}

/// A session of an account, with the times of its refresh tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedSession {
    /// The session's id.
    pub id: Uuid,
    /// The client's name for the device; null if the client gave none.
    #[schema(min_length = 0, max_length = 80)]
    pub device: Option<String>,
    /// When the session began.
    pub created_at: RecordTime,
    /// When the session last got new tokens.
    pub last_used_at: RecordTime,
    /// When the session ended; null if it has not ended.
    pub ended_at: Option<RecordTime>,
    /// When it passed the second step; null for never.
    pub second_step_passed_at: Option<RecordTime>,
    /// The session's refresh tokens; only their times are exported.
    #[schema(max_items = 1000000)]
    pub refresh_tokens: Vec<ExportedToken>,
}

/// The times of a refresh token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedToken {
    /// When the token was issued.
    pub issued_at: RecordTime,
    /// When the token expires.
    pub expires_at: RecordTime,
    /// When the token was exchanged; null if it is unused.
    pub used_at: Option<RecordTime>,
}

/// A place of an account at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedSeat {
    /// The game's id.
    pub game: GameId,
    /// The place in the lobby, numbered in order of joining.
    #[schema(value_type = Place)]
    pub place: i32,
}

/// The result of a finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedResult {
    /// The game's id.
    pub game: GameId,
    /// The ruleset's id.
    #[schema(value_type = RulesetId)]
    pub ruleset: String,
    /// The player's seat.
    #[schema(value_type = Seat)]
    pub seat: i32,
    /// The rank, from 1. Players who forfeited share the last rank.
    #[schema(minimum = 1, maximum = 5)]
    pub rank: i32,
    /// The final total of the seat.
    pub total: i32,
    /// The number of rounds played; 0 for a forfeited game.
    #[schema(minimum = 0, maximum = 255)]
    pub rounds: i32,
    /// The number of rounds in which the player took exactly the tricks they called.
    #[schema(minimum = 0, maximum = 255)]
    pub rounds_made: i32,
    /// Whether the player forfeited the game.
    pub forfeited: bool,
    /// When the game ended.
    pub ended_at: RecordTime,
}

/// A table, an opening or a game that the account broke off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedBreakOff {
    /// The game's id.
    pub game: GameId,
    /// The number of the event in the game's record.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub seq: i64,
    /// What was broken off.
    #[schema(value_type = BreakOffKind)]
    pub kind: String,
    /// When it happened.
    pub at: RecordTime,
}

/// The rating of an account in a ruleset.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ExportedRating {
    /// The ruleset's id.
    #[schema(value_type = RulesetId)]
    pub ruleset: String,
    /// The rating.
    pub rating: RatingView,
}

/// An entry in the matchmaking queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedWait {
    /// The id of the game in which the account has a seat.
    pub game: GameId,
    /// When the account joined the queue.
    pub since: RecordTime,
    /// The time from which the account agreed to play with bots; null if it did not agree.
    pub bots_at: Option<RecordTime>,
}

/// A request with an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedRequest {
    /// The HTTP method.
    #[schema(min_length = 1, max_length = 16)]
    pub method: String,
    /// The path.
    #[schema(min_length = 1, max_length = 2048)]
    pub path: String,
    /// When the request was made.
    pub created_at: RecordTime,
}

/// A grant of a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedGrant {
    /// The role that was granted.
    pub role: Role,
    /// The role before the grant.
    pub former_role: Role,
    /// The admin's account; null for the command line.
    pub granted_by: Option<AccountId>,
    /// When the role was granted.
    pub created_at: RecordTime,
}

/// The salt of the account's pseudonym in a game: the pseudonym is the SHA-256 of the salt and the account's id as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedPseudonym {
    /// The game's id.
    pub game: GameId,
    /// The salt.
    pub salt: Hex<32>,
}

/// A notice to the account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedNotice {
    /// The notice's id.
    pub id: Uuid,
    /// `webhook`, or the session of a push subscription.
    #[schema(min_length = 1, max_length = 36)]
    pub destination: String,
    /// What it is about.
    #[schema(value_type = NoticeKind)]
    pub kind: String,
    /// The game's id; null if it is about no game.
    pub game: Option<GameId>,
    /// When the notice became due.
    pub created_at: RecordTime,
    /// When it was sent, or given up; null while it waits.
    pub settled_at: Option<RecordTime>,
}

/// Where a browser takes pushes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExportedPushSubscription {
    /// The session's id.
    #[schema(value_type = uuid::Uuid)]
    pub session: String,
    /// The URL of the push service.
    #[schema(min_length = 9, max_length = 2000)]
    pub endpoint: String,
    /// When the browser subscribed.
    pub created_at: RecordTime,
}
