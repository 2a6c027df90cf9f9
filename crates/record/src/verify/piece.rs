//! The pieces of published records: a history's header, events and end; the transparency log's entries and
//! checkpoint.
//!
//! As JSON a history is one object with `header`, `events` and `end` in this order. As NDJSON every line is
//! an object with one member: `header`, `event`, `end`, `listed` or `checkpoint`.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Checkpoint, ListedGame};
use estimation_engine::chance::Hex;
use estimation_engine::event::Standing;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::BySeat;

/// The format described here.
pub const FORMAT: &str = "estimation/history/v1";

/// The beginning of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// The game.
    pub game: Uuid,
    /// The ruleset's id.
    pub ruleset: RulesetId,
    /// Whether the game is over.
    pub status: Status,
}

/// The state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[serde(deny_unknown_fields)]
pub struct EventLine {
    /// The sequence number in the game, from 1.
    pub seq: u64,
    /// The chain's hash at this event, as hexadecimal digits.
    pub hash: String,
    /// The stored text.
    pub body: String,
}

/// The end of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// The number of events.
    pub events: u64,
    /// The hash of the last event.
    pub head: Hex<32>,
    /// The final standings; none for an abandoned or running game.
    pub standings: Option<BySeat<Standing>>,
    /// The signature over the end of the game, if it exists yet.
    pub signature: Option<SignatureLine>,
}

/// A signature with its key's id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureLine {
    /// The id of the record key.
    pub kid: String,
    /// The Ed25519 signature (RFC 8032), as hexadecimal digits.
    pub value: Hex<64>,
}

/// An entry of the transparency log with its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedLine {
    /// The hashed content.
    pub entry: ListedGame,
    /// The hash of the log's chain at this entry.
    pub hash: Hex<32>,
}

/// A signed checkpoint of the transparency log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedCheckpoint {
    /// The signed content.
    pub checkpoint: Checkpoint,
    /// The signature over it.
    pub signature: SignatureLine,
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
    /// An entry of the transparency log.
    Listed(ListedLine),
    /// The end of the transparency log.
    Checkpoint(SignedCheckpoint),
}
