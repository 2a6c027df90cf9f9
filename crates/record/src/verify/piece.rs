//! The pieces of a history: its header, events and end; and the proofs of a bundle, which follow the end.
//!
//! As JSON a history is one object with `header`, `events` and `end` in this order. As NDJSON every line is
//! an object with one member: `header`, `event` or `end`. A bundle has one more member or line, `proofs`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::forms::{Object, at_most, free_objects, object, object_or_null, only_id, safe_number};
use estimation_engine::event::Standing;
use estimation_engine::hex::Hex;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::{BySeat, Seat};

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
    #[serde(deserialize_with = "standings")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<Standing>>, min_items = 2, max_items = 5))]
    pub standings: Option<BySeat<Standing>>,
    /// The signature over the end of the game; null until the game is signed.
    #[serde(deserialize_with = "object_or_null")]
    pub signature: Option<SignatureLine>,
}

/// Reads standings, whose form is narrower than that of an event: no other members.
fn standings<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<BySeat<Standing>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Line {
        seat: Seat,
        total: i32,
        rank: u8,
    }

    let Some(lines) = Option::<Vec<Object<Line>>>::deserialize(reader)? else { return Ok(None) };
    let standing = |Object(Line { seat, total, rank })| Standing { seat, total, rank };
    let standings: Vec<Standing> = lines.into_iter().map(standing).collect();
    BySeat::try_from(standings).map(Some).map_err(D::Error::custom)
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

/// The largest number of logs between the log of a game's end and that of its start.
pub const MAX_ORIGINS: usize = 100;

/// The largest number of verifier keys in a bundle.
pub const MAX_LOG_KEYS: usize = 400;

/// The proofs in a bundle that the public log has the start and the end of the game, and the keys of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = GameProofs))]
#[serde(deny_unknown_fields)]
pub struct Proofs {
    /// The proof file (c2sp.org/tlog-proof@v1) of the start; null if the game did not start.
    #[serde(deserialize_with = "Option::deserialize")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 65536))]
    pub start: Option<String>,
    /// The proof file of the end.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 65536))]
    pub end: String,
    /// The proof files of the entries that lead from the log of the end to the former log with the start; empty if one
    /// log has both.
    #[serde(deserialize_with = "at_most::<MAX_ORIGINS, _>")]
    #[cfg_attr(feature = "schema", schema(max_items = 100, min_length = 1, max_length = 262144))]
    pub origins: Vec<String>,
    /// The verifier keys, as in `/log/key`, of each log that a proof is of.
    #[serde(deserialize_with = "at_most::<MAX_LOG_KEYS, _>")]
    #[cfg_attr(feature = "schema", schema(max_items = 400, min_length = 1, max_length = 1024))]
    pub log_keys: Vec<String>,
    /// The record keys of the service.
    #[serde(deserialize_with = "object")]
    #[cfg_attr(feature = "schema", schema(schema_with = jwks_schema))]
    pub jwks: KeySet,
}

/// A JWK set (RFC 7517). Its keys may have any members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySet {
    /// The keys.
    #[serde(deserialize_with = "free_objects")]
    pub keys: Vec<Map<String, Value>>,
}

/// The schema that the service's own JWK set has.
#[cfg(feature = "schema")]
fn jwks_schema() -> utoipa::openapi::Ref {
    utoipa::openapi::schema::RefBuilder::new()
        .ref_location_from_schema_name("Jwks")
        .description(Some("The record keys of the service, as in its JWK set."))
        .build()
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
    /// The proofs of the history that has just ended.
    Proofs(Proofs),
}
