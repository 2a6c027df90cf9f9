//! A game as somebody may see it: everything a client needs to draw the table and to act.

mod lobby;
mod round;
mod spoken;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::lobby::*;
pub use self::round::*;
pub use self::spoken::*;
use super::command::Command;
use super::event::EventEnvelope;
use super::person::Chair;
use super::ruleset::RulesetSummary;
use super::score::Scores;
use super::term::{BotLevel, Direction, GameStatus, PlayerKind, Visibility};
use super::value::{
    AccountId, ClientSeed, Commitment, EventHash, GameId, JoinCode, Sequence, ServerSeed, Time,
};

/// The last event of a game. Keep it: it is evidence against rewriting or cutting the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Its number.
    pub seq: Sequence,
    /// Its hash.
    pub hash: EventHash,
}

/// Who runs a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Their account.
    pub id: AccountId,
    /// The name they go by.
    #[schema(min_length = 1, max_length = 40)]
    pub name: String,
}

/// Somebody who sits at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeatedPlayer {
    /// Their account; null for a bot.
    #[schema(required)]
    pub id: Option<AccountId>,
    /// The name they go by.
    #[schema(min_length = 1, max_length = 40)]
    pub name: String,
    /// What they are.
    pub kind: PlayerKind,
    /// How well a bot plays; absent for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub level: Option<BotLevel>,
}

/// A seat of a table; before the seats are settled, a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeatView {
    /// Who sits there; null if nobody does.
    #[schema(required)]
    pub player: Option<SeatedPlayer>,
    /// Whether a bot plays for an absent person.
    pub stand_in: bool,
    /// Whether the player is there just now.
    pub connected: bool,
}

/// How the deals can be checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Fairness {
    /// How deals are made from the seeds.
    #[schema(min_length = 1, max_length = 64)]
    pub algorithm: String,
    /// SHA-256 of the server seed.
    pub commitment: Commitment,
    /// The client seeds, by place; null for bots and where none is set.
    #[schema(min_items = 2, max_items = 5)]
    pub client_seeds: Vec<Option<ClientSeed>>,
    /// The server seed; absent until the game is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub server_seed: Option<ServerSeed>,
}

/// A game as the caller may see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GameView {
    /// The game.
    pub id: GameId,
    /// Its version: the number of its last event.
    pub version: Sequence,
    /// Its last event.
    pub head: Head,
    /// Where it stands.
    pub status: GameStatus,
    /// The rules it is played by.
    pub ruleset: RulesetSummary,
    /// Which way deal and play go round.
    pub direction: Direction,
    /// Who runs the table.
    pub host: Host,
    /// Who may see that it exists.
    pub visibility: Visibility,
    /// Whether people who do not sit there may watch.
    pub spectators: bool,
    /// Seconds a turn may take; null for no clock.
    #[schema(required, minimum = 10, maximum = 604_800)]
    pub turn_seconds: Option<u32>,
    /// The invitation; absent unless the caller sits at the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub join_code: Option<JoinCode>,
    /// When the table was opened.
    pub created_at: Time,
    /// When its last event happened.
    pub updated_at: Time,
    /// The seats, in order of play; before they are settled, the places.
    #[schema(min_items = 2, max_items = 5)]
    pub seats: Vec<SeatView>,
    /// Where the caller sits; null if nowhere.
    #[schema(required)]
    pub you: Option<Chair>,
    /// The round under way; null if there is none.
    #[schema(required)]
    pub round: Option<Box<RoundView>>,
    /// Totals and points so far.
    pub scores: Scores,
    /// How the deals can be checked.
    pub fairness: Fairness,
    /// The commands the caller may post now, word for word, and none missing.
    #[schema(max_items = 100)]
    pub legal: Vec<Command>,
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandAnswer {
    /// The game's version after the command.
    pub version: Sequence,
    /// The events the command caused, as the caller may see them.
    #[schema(min_items = 1, max_items = 16)]
    pub events: Vec<EventEnvelope>,
    /// The game after them.
    pub game: GameView,
}

/// The answer to a command where only the version was asked for (`Prefer: return=minimal`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VersionOnly {
    /// The game's version after the command.
    pub version: Sequence,
}
