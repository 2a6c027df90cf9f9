//! The pieces of a history: its header, events and end.
//!
//! As JSON a history is one object with `header`, `events` and `end` in this order. As NDJSON every line is
//! an object with one member: `header`, `event` or `end`.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::forms::{only_id, safe_number};
use estimation_engine::event::Standing;
use estimation_engine::hex::Hex;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::BySeat;

/// The format described here.
pub const FORMAT: &str = "estimation/history/v1";

/// The beginning of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = HistoryHeader))]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The format of the history: `estimation/history/v1`.
    #[cfg_attr(
        feature = "schema",
        schema(min_length = 21, max_length = 21, pattern = "^estimation/history/v1$")
    )]
    pub format: String,
    /// The game.
    #[serde(deserialize_with = "only_id")]
    pub game: Uuid,
    /// The ruleset's id. The first event contains all rules of the game.
    pub ruleset: RulesetId,
    /// Whether the game is over.
    pub status: Status,
}

/// The state of the game of a history: `running`, and the history ends with the last finished round;
/// `finished`, played to the end; or `abandoned`, ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = HistoryStatus))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Still running: the history ends with the last finished round.
    Running,
    /// Played to the end.
    Finished,
    /// Ended early.
    Abandoned,
}

/// An event with the exact text that was stored and hashed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = StoredEvent))]
#[serde(deny_unknown_fields)]
pub struct EventLine {
    /// The sequence number in the game, from 1 and without gaps.
    #[serde(deserialize_with = "safe_number")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 9_007_199_254_740_991_u64))]
    pub seq: u64,
    /// The hash chain's value at this event: SHA-256 of the previous hash and the bytes of `body`.
    #[cfg_attr(feature = "schema", schema(value_type = Hex<32>))]
    pub hash: String,
    /// The text that was stored and hashed: canonical JSON of the game, number, time, actor and event.
    #[cfg_attr(feature = "schema", schema(min_length = 2, max_length = 65536))]
    pub body: String,
}

/// The end of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = HistoryEnd))]
#[serde(deny_unknown_fields)]
pub struct End {
    /// The number of events.
    #[serde(deserialize_with = "safe_number")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 9_007_199_254_740_991_u64))]
    pub events: u64,
    /// The hash of the last event.
    pub head: Hex<32>,
    /// The final standings; null for an abandoned or running game.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<Standing>>, min_items = 2, max_items = 5))]
    pub standings: Option<BySeat<Standing>>,
    /// The signature over the end of the game; null until the game is signed.
    pub signature: Option<SignatureLine>,
}

/// A signature with its key's id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordSignature))]
#[serde(deny_unknown_fields)]
pub struct SignatureLine {
    /// The id of the record key, as in the service's JWK set.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 64))]
    pub kid: String,
    /// The Ed25519 signature (RFC 8032), as hexadecimal digits.
    pub value: Hex<64>,
}

/// A piece of a published record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// The beginning of a history.
    Header(Header),
    /// An event of the current history.
    Event(EventLine),
    /// The end of the current history.
    End(End),
}
