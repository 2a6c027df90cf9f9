//! The pieces of which published records are made: of a history its header, its events and its end; of the
//! list of ended games its lines and its checkpoint.
//!
//! As JSON a history is one object with `header`, `events` and `end` in this order; as NDJSON every piece is
//! an object of its own with one member: `header`, `event`, `end`, `listed` or `checkpoint`.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Checkpoint, ListedGame};
use estimation_engine::chance::Hex;
use estimation_engine::event::Standing;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::BySeat;

/// The form of histories described here.
pub const FORMAT: &str = "estimation/history/v1";

/// How a history begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// The game.
    pub game: Uuid,
    /// The ruleset it is played by.
    pub ruleset: RulesetId,
    /// Whether it is over.
    pub status: Status,
}

/// Whether a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not yet: the history ends with the last round that is over.
    Running,
    /// It was played to the end.
    Finished,
    /// It ended early.
    Abandoned,
}

/// An event with the bytes that are stored and were hashed, as a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventLine {
    /// Its place in the game, from 1.
    pub seq: u64,
    /// The chain's hash at it, as hexadecimal digits.
    pub hash: String,
    /// The stored text.
    pub body: String,
}

/// How a history ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// How many events there are.
    pub events: u64,
    /// The hash of the last of them.
    pub head: Hex<32>,
    /// The final standings; none for an abandoned game and one that runs.
    pub standings: Option<BySeat<Standing>>,
    /// The signature over the end of the game; none as long as there is none.
    pub signature: Option<SignatureLine>,
}

/// A signature with the key it was made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureLine {
    /// The id of the record key.
    pub kid: String,
    /// The Ed25519 signature (RFC 8032), as hexadecimal digits.
    pub value: Hex<64>,
}

/// A line of the list of ended games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedLine {
    /// What is hashed.
    pub entry: ListedGame,
    /// The hash of the list's chain at it.
    pub hash: Hex<32>,
}

/// A checkpoint of the list, signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedCheckpoint {
    /// What is signed.
    pub checkpoint: Checkpoint,
    /// The signature over it.
    pub signature: SignatureLine,
}

/// A piece of a published record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// A history begins.
    Header(Header),
    /// An event of the history that has begun.
    Event(EventLine),
    /// The history that has begun ends.
    End(End),
    /// The list goes on.
    Listed(ListedLine),
    /// The list ends.
    Checkpoint(SignedCheckpoint),
}
