//! The calculator: the score of a round that was played at a real table.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::{Call, Lines};
use crate::http::contract::ruleset::OptionValue;
use crate::http::contract::value::SeatNumber;

/// A round that was played at a real table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScoreRequest {
    /// What the table agreed on, by option; what is left out is as the ruleset has it.
    #[serde(default)]
    #[schema(default = json!({}))]
    pub options: BTreeMap<String, OptionValue>,
    /// How many play. In `nineteen` it has to be given where not 4 play; the others are for 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 2, maximum = 5)]
    pub players: Option<u8>,
    /// The round.
    #[schema(minimum = 1, maximum = 19)]
    pub round: u8,
    /// What void rounds before it have made of the multiplier.
    #[serde(default = "no_carry")]
    #[schema(default = 1, minimum = 1, maximum = 131_072)]
    pub carry: u32,
    /// Who spoke first; the seat after `dealer` where it is left out. One of the two is needed only where the
    /// score depends on it: in the fast rounds of `squares`, `kabooot` and `double-risk` (14 to 18, and 6 to 10
    /// of a `mini` game), where the last to estimate is the Risk and the first to reach the highest estimate is
    /// the bidder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub first_speaker: Option<SeatNumber>,
    /// Who dealt, instead of who spoke first. If both are given they must agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub dealer: Option<SeatNumber>,
    /// The bidder; null for none. It follows from the calls, so it may be left out; if given it must agree.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<SeatNumber>)]
    pub bidder: Option<Option<SeatNumber>>,
    /// What each seat was bound to. In a folded round null for all but the dash calls, or left out.
    #[serde(default)]
    #[schema(max_items = 5)]
    pub calls: Vec<Option<Call>>,
    /// What each seat took. In a folded round all zeros, or left out.
    #[serde(default)]
    #[schema(max_items = 5, minimum = 0, maximum = 13)]
    pub tricks: Vec<u8>,
    /// Whether nobody bid and the round was spent (`squares`).
    #[serde(default)]
    #[schema(default = false)]
    pub folded: bool,
    /// Who revoked before the deal that is entered, in order (`nineteen` with `revokes: penalise`). Each revoke
    /// voids a deal of the turn and costs twice the hand size; a seat stands here as often as it revoked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 100, default = json!([]))]
    pub revokes: Vec<SeatNumber>,
}

/// What a round is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScoreAnswer {
    /// The points, by seat.
    #[schema(min_items = 2, max_items = 5)]
    pub points: Vec<i32>,
    /// The bidder; null if there was none.
    #[schema(required)]
    pub bidder: Option<SeatNumber>,
    /// Those who estimated what the bidder called.
    #[schema(max_items = 3)]
    pub withs: Vec<SeatNumber>,
    /// The Risk; null where the ruleset names none, and where it is not known who spoke first.
    #[schema(required)]
    pub risk: Option<SeatNumber>,
    /// What multiplied the round, or would have, had it not been void.
    #[schema(minimum = 1, maximum = 262_144)]
    pub multiplier: u32,
    /// The carry into the next round.
    #[schema(minimum = 1, maximum = 262_144)]
    pub next_carry: u32,
    /// What the points are made of, by seat.
    #[schema(min_items = 2, max_items = 5)]
    pub lines: Vec<Lines>,
    /// What each revoke cost, in order: to be added to the total of its seat at once, beside the points.
    #[schema(max_items = 100)]
    pub penalties: Vec<RevokePenalty>,
}

/// What a revoke costs (`nineteen`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RevokePenalty {
    /// In which deal of the turn, from 1.
    #[schema(minimum = 1, maximum = 100)]
    pub attempt: u32,
    /// By whom.
    pub seat: SeatNumber,
    /// Twice the hand size.
    #[schema(minimum = 2, maximum = 20)]
    pub points: i32,
}

/// The carry where no round before was void.
const fn no_carry() -> u32 {
    1
}

/// Reads a field that is there, so that null is told from nothing.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
