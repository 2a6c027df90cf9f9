//! Statements signed with a record key: a first line with the statement's type, then canonical JSON.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::canonical::{NotCanonical, canonical_json};
use super::chain::chain;
use super::forms::{only_id, present, safe_number};
use super::time::RecordTime;
use estimation_engine::chance::Hex;
use estimation_engine::event::Standing;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::BySeat;

/// The signed end of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameEnd<'a> {
    /// The game.
    pub game: Uuid,
    /// The ruleset's id. The first event contains the whole ruleset.
    pub ruleset: RulesetId,
    /// The hash of the last event.
    pub head: Hex<32>,
    /// The number of events.
    pub events: u64,
    /// The final standings; none for an abandoned game.
    pub standings: Option<&'a BySeat<Standing>>,
}

/// The signed head of the transparency log at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The number of entries.
    #[serde(deserialize_with = "safe_number")]
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 9_007_199_254_740_991_u64))]
    pub games: u64,
    /// The chain's hash at the last entry; 64 zeros for an empty log.
    pub head: Hex<32>,
    /// The time of signing.
    pub at: RecordTime,
    /// The public log, which has the ends of later games. Absent while the list goes on.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub log: Option<LogHead>,
}

/// A checkpoint of the public log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LogHead {
    /// The name of the log.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub origin: String,
    /// The number of entries.
    #[serde(deserialize_with = "safe_number")]
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 9_007_199_254_740_991_u64))]
    pub size: u64,
    /// The root hash of the tree of these entries.
    pub root: Hex<32>,
}

/// An entry of the transparency log, as the log's own chain hashes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ListedGame {
    /// The position in the log, from 1.
    #[serde(deserialize_with = "safe_number")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 9_007_199_254_740_991_u64))]
    pub position: u64,
    /// The game.
    #[serde(deserialize_with = "only_id")]
    pub game: Uuid,
    /// The number of the game's events.
    #[serde(deserialize_with = "safe_number")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 9_007_199_254_740_991_u64))]
    pub events: u64,
    /// The hash of the game's last event.
    pub head: Hex<32>,
    /// The time it was added to the log.
    pub listed_at: RecordTime,
    /// The id of the record key that signed the game's end.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 64))]
    pub kid: String,
    /// The signature over the game's end.
    pub signature: Hex<64>,
}

impl GameEnd<'_> {
    /// The bytes to sign: `estimation/game-end/v1`, a newline, canonical JSON.
    pub fn statement(&self) -> Result<Vec<u8>, NotCanonical> {
        statement("estimation/game-end/v1", self)
    }
}

impl Checkpoint {
    /// The bytes to sign: `estimation/checkpoint/v1`, a newline, canonical JSON.
    pub fn statement(&self) -> Result<Vec<u8>, NotCanonical> {
        statement("estimation/checkpoint/v1", self)
    }
}

impl ListedGame {
    /// The hash of the log's chain at this entry: SHA-256 over the previous hash and the entry's canonical
    /// JSON. The first entry's previous hash is 32 zero bytes.
    pub fn chained(&self, previous: [u8; 32]) -> Result<[u8; 32], NotCanonical> {
        Ok(chain(previous, canonical_json(self)?.as_bytes()))
    }
}

pub(crate) fn statement(kind: &str, value: &impl Serialize) -> Result<Vec<u8>, NotCanonical> {
    Ok(format!("{kind}\n{}", canonical_json(value)?).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_starts_with_its_type() {
        let end = GameEnd {
            game: Uuid::nil(),
            ruleset: RulesetId::DoubleRisk,
            head: Hex([0xab; 32]),
            events: 2,
            standings: None,
        };
        let expected = format!(
            "estimation/game-end/v1\n{{\"events\":2,\"game\":\"{}\",\"head\":\"{}\",\"ruleset\":\"double-risk\",\"standings\":null}}",
            Uuid::nil(),
            "ab".repeat(32)
        );
        assert_eq!(String::from_utf8(end.statement().unwrap()).unwrap(), expected);
        let at = "2026-01-01T00:00:00.000Z".parse().unwrap();
        let mut checkpoint = Checkpoint { games: 0, head: Hex([0; 32]), at, log: None };
        let expected = format!(
            "estimation/checkpoint/v1\n{{\"at\":\"2026-01-01T00:00:00.000Z\",\"games\":0,\"head\":\"{}\"}}",
            "0".repeat(64)
        );
        assert_eq!(String::from_utf8(checkpoint.statement().unwrap()).unwrap(), expected);
        checkpoint.log =
            Some(LogHead { origin: "cards.example/log".to_owned(), size: 2, root: Hex([1; 32]) });
        let expected = format!(
            "estimation/checkpoint/v1\n{{\"at\":\"2026-01-01T00:00:00.000Z\",\"games\":0,\"head\":\"{}\",\"log\":{{\"origin\":\"cards.example/log\",\"root\":\"{}\",\"size\":2}}}}",
            "0".repeat(64),
            "01".repeat(32)
        );
        assert_eq!(String::from_utf8(checkpoint.statement().unwrap()).unwrap(), expected);
    }
}
