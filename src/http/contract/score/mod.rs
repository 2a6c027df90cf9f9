//! What rounds are worth, and why.

mod calculator;
mod reason;
mod sheet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::calculator::*;
pub use self::reason::*;
pub use self::sheet::*;
use super::term::CallKind;

/// The number of tricks a player is bound to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// How it was made.
    pub kind: CallKind,
    /// The tricks.
    #[schema(minimum = 0, maximum = 13)]
    pub tricks: u8,
}

/// What a player is bound to, with the roles it gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CallView {
    /// How it was made.
    pub kind: CallKind,
    /// The tricks.
    #[schema(minimum = 0, maximum = 13)]
    pub tricks: u8,
    /// Whether it makes its player a With.
    pub with: bool,
    /// Whether its player is the Risk.
    pub risk: bool,
}

/// A line of points, to be added up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PointsLine {
    /// Why.
    pub reason: Reason,
    /// How many.
    pub points: i32,
}

/// A factor of the sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FactorLine {
    /// Why.
    pub reason: Reason,
    /// How much.
    pub factor: i32,
}

/// A line of a score: points to add, or a factor for the sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, expecting = "expected a reason with points or a factor")]
pub enum Line {
    /// Points to add.
    Points(PointsLine),
    /// A factor for the sum.
    Factor(FactorLine),
}

/// The lines of one player's round, in the order in which a player would reckon: the sum of the points times
/// the product of the factors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(max_items = 8)]
pub struct Lines(pub Vec<Line>);
