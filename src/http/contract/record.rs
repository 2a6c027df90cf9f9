//! Records as they are handed out: histories, the list of ended games, looks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::event::Standing;
use super::ruleset::RulesetId;
use super::value::{AccountId, Cursor, EventHash, GameId, Sequence, Time};

/// A history: the whole record of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// How it begins.
    pub header: HistoryHeader,
    /// Every event, in order.
    #[schema(max_items = 1000000)]
    pub events: Vec<StoredEvent>,
    /// How it ends.
    pub end: HistoryEnd,
}

/// How a history begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryHeader {
    /// The form of the history.
    #[schema(min_length = 21, max_length = 21, pattern = "^estimation/history/v1$")]
    pub format: String,
    /// The game.
    pub game: GameId,
    /// The ruleset it is played by; the whole of it stands in the first event.
    pub ruleset: RulesetId,
    /// Whether it is over.
    pub status: HistoryStatus,
}

/// Whether the game of a history is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HistoryStatus {
    /// Not yet: the history ends with the last round that is over.
    Running,
    /// It was played to the end.
    Finished,
    /// It ended early.
    Abandoned,
}

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StoredEvent {
    /// Its number in the game, from 1, without gaps.
    pub seq: Sequence,
    /// SHA-256 over the hash before it and the bytes of `body`.
    pub hash: EventHash,
    /// The bytes that are stored and were hashed: the canonical JSON of game, seq, at, actor and event.
    #[schema(min_length = 2, max_length = 65536)]
    pub body: String,
}

/// How a history ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryEnd {
    /// How many events there are.
    pub events: Sequence,
    /// The hash of the last of them.
    pub head: EventHash,
    /// The final standings; null unless the game was played to the end.
    #[schema(required, min_items = 2, max_items = 5)]
    pub standings: Option<Vec<Standing>>,
    /// The signature over the end of the game; null until there is one.
    #[schema(required)]
    pub signature: Option<RecordSignature>,
}

/// A signature made with a record key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordSignature {
    /// The id of the key, in the JWK set of the service.
    #[schema(min_length = 1, max_length = 64)]
    pub kid: String,
    /// The Ed25519 signature (RFC 8032), as hexadecimal digits.
    #[schema(min_length = 128, max_length = 128, pattern = "^[0-9a-f]{128}$")]
    pub value: String,
}

/// A history as lines of JSON: `{"header":…}`, then `{"event":…}` for every event, then `{"end":…}`.
#[derive(ToSchema)]
#[schema(value_type = String)]
pub struct HistoryLines(pub String);

/// A page of the list of ended games, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedPage {
    /// The lines.
    #[schema(max_items = 100)]
    pub items: Vec<ListedLine>,
    /// What to give as `after` for the next page; null at the end of the list.
    #[schema(required)]
    pub next_cursor: Option<Cursor>,
}

/// A line of the list of ended games, with the hash of the list's chain at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedLine {
    /// What is hashed, as canonical JSON.
    pub entry: ListedGame,
    /// SHA-256 over the hash before it and the entry.
    pub hash: EventHash,
}

/// A game on the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedGame {
    /// Its place on the list, from 1.
    pub position: Sequence,
    /// The game.
    pub game: GameId,
    /// How many events it has.
    pub events: Sequence,
    /// The hash of the last of them.
    pub head: EventHash,
    /// When it was listed.
    pub listed_at: Time,
    /// The id of the record key that signed its end.
    #[schema(min_length = 1, max_length = 64)]
    pub kid: String,
    /// The Ed25519 signature over its end, as hexadecimal digits.
    #[schema(min_length = 128, max_length = 128, pattern = "^[0-9a-f]{128}$")]
    pub signature: String,
}

/// The list of ended games as it stands, signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignedCheckpoint {
    /// What is signed, as canonical JSON behind the line `estimation/checkpoint/v1`.
    pub checkpoint: Checkpoint,
    /// The signature.
    pub signature: RecordSignature,
}

/// The list of ended games as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// How many games are on the list.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_u64)]
    pub games: u64,
    /// The hash of the list's chain at the last of them; zeros for an empty list.
    pub head: EventHash,
    /// When it was signed.
    pub at: Time,
}

/// A page of looks by an auditor's right, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LookPage {
    /// The looks.
    #[schema(max_items = 100)]
    pub items: Vec<Look>,
    /// Where the next page begins; null on the last.
    #[schema(required)]
    pub next_cursor: Option<Cursor>,
}

/// A look by an auditor's right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// The auditor.
    pub account: AccountId,
    /// The game.
    pub game: GameId,
    /// The last event that was seen.
    pub version: Sequence,
    /// When.
    pub at: Time,
}

/// A page of the accesses of auditors to a game, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditAccessPage {
    /// The accesses.
    #[schema(max_items = 100)]
    pub items: Vec<AuditAccess>,
    /// Where the next page begins; null on the last.
    #[schema(required)]
    pub next_cursor: Option<Cursor>,
}

/// An auditor read the record of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditAccess {
    /// The last event that the auditor was shown.
    pub version: Sequence,
    /// When.
    pub at: Time,
    /// Whether the game was not over at that time.
    pub before_end: bool,
}
