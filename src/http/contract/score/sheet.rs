//! The score sheet of a game, and the scores in its view.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CallView, Lines};
use crate::http::contract::term::GameStatus;
use crate::http::contract::value::{Card, GameId, SeatNumber, Sequence};

/// Totals and points so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Scores {
    /// The totals, by seat.
    #[schema(min_items = 2, max_items = 5)]
    pub totals: Vec<i32>,
    /// The points of each finished round.
    #[schema(max_items = 19)]
    pub rounds: Vec<RoundPoints>,
    /// The revokes that were penalised (`nineteen`).
    pub penalties: Vec<Penalty>,
    /// The rank of each seat, from 1; null until the game is finished.
    #[schema(required, min_items = 2, max_items = 5, minimum = 1, maximum = 5)]
    pub ranks: Option<Vec<u8>>,
}

/// The points of a finished round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoundPoints {
    /// The round.
    #[schema(minimum = 1, maximum = 19)]
    pub round: u8,
    /// The points, by seat.
    #[schema(min_items = 2, max_items = 5)]
    pub points: Vec<i32>,
}

/// A penalised revoke (`nineteen`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Penalty {
    /// In which round.
    #[schema(minimum = 1, maximum = 19)]
    pub round: u8,
    /// In which deal of it.
    #[schema(minimum = 1, maximum = 2_147_483_647)]
    pub attempt: u32,
    /// By whom.
    pub seat: SeatNumber,
    /// With which card.
    pub card: Card,
    /// The penalty, twice the hand size.
    #[schema(minimum = 2, maximum = 20)]
    pub points: i32,
}

/// The score sheet of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScoreSheet {
    /// The game.
    pub game: GameId,
    /// Its version: the number of its last event.
    pub version: Sequence,
    /// Where it stands.
    pub status: GameStatus,
    /// The totals, by seat.
    #[schema(min_items = 2, max_items = 5)]
    pub totals: Vec<i32>,
    /// The finished rounds, in order.
    #[schema(max_items = 19)]
    pub rounds: Vec<SheetRow>,
    /// The revokes that were penalised (`nineteen`).
    pub penalties: Vec<Penalty>,
    /// The rank of each seat, from 1; null until the game is finished.
    #[schema(required, min_items = 2, max_items = 5, minimum = 1, maximum = 5)]
    pub ranks: Option<Vec<u8>>,
}

/// A finished round of the score sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SheetRow {
    /// The round.
    #[schema(minimum = 1, maximum = 19)]
    pub round: u8,
    /// Whether nobody bid and the round was spent.
    pub folded: bool,
    /// The bidder; null if there was none.
    #[schema(required)]
    pub bidder: Option<SeatNumber>,
    /// What multiplied the round.
    #[schema(minimum = 1, maximum = 262_144)]
    pub multiplier: u32,
    /// Each seat's part.
    #[schema(min_items = 2, max_items = 5)]
    pub seats: Vec<SheetCell>,
}

/// A seat's part of a finished round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SheetCell {
    /// What the seat was bound to; null if to nothing.
    #[schema(required)]
    pub call: Option<CallView>,
    /// What it took.
    #[schema(minimum = 0, maximum = 13)]
    pub tricks: u8,
    /// What that was worth.
    pub points: i32,
    /// The total after it, penalties included.
    pub total: i32,
    /// What the points are made of.
    pub lines: Lines,
}
