//! The lines of a score: why each point was given.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

crate::choices! {
    /// The reason of a line on the score sheet.
    pub enum Reason {
        /// The call was made.
        Made = "made",
        /// The tricks taken.
        Tricks = "tricks",
        /// The tricks called (`double-risk`).
        Call = "call",
        /// |call − tricks|, when the call was lost.
        Difference = "difference",
        /// The round's number (`kabooot`).
        Round = "round",
        /// The hand size (`nineteen`).
        HandSize = "hand_size",
        /// The larger of call and tricks (`nineteen` R3).
        LargerOfCallAndTricks = "larger_of_call_and_tricks",
        /// The bidder's bonus or penalty.
        Bidder = "bidder",
        /// A With's bonus or penalty.
        With = "with",
        /// The Risk's bonus or penalty.
        Risk = "risk",
        /// The Double Risk's bonus or penalty (`double-risk`).
        DoubleRisk = "double_risk",
        /// An estimate of 0.
        Dash = "dash",
        /// A dash call.
        DashCall = "dash_call",
        /// A blind dash (`kabooot`).
        BlindDash = "blind_dash",
        /// A call of 0 while the total is under 13 (`double-risk`).
        Under = "under",
        /// A call of 8 or more: its square or half square, or the factor 2.
        HighCall = "high_call",
        /// The only one who made it.
        OnlyWinner = "only_winner",
        /// The only one who lost.
        OnlyLoser = "only_loser",
        /// All thirteen called and taken (`kabooot` R7).
        Kabooot = "kabooot",
        /// Another player's kabooot.
        KaboootByOther = "kabooot_by_other",
        /// The multiplier of the round.
        Multiplier = "multiplier",
        /// No player made the call.
        NoWinner = "no_winner",
        /// No player bid.
        Folded = "folded",
    }
}

/// A line of a score: points to add, or a factor for the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// Points, to be added up.
    Points {
        /// The reason.
        reason: Reason,
        /// The number of points.
        points: i32,
    },
    /// A factor of the sum.
    Factor {
        /// The reason.
        reason: Reason,
        /// The factor.
        factor: i32,
    },
}

/// The lines of one player's round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lines(ArrayVec<Line, 8>);

impl Lines {
    /// One line of points alone.
    pub(crate) fn single(reason: Reason, points: i32) -> Lines {
        let mut lines = Lines::default();
        lines.points(reason, points);
        lines
    }

    /// Adds a line of points.
    pub(crate) fn points(&mut self, reason: Reason, points: i32) {
        self.0.push(Line::Points { reason, points });
    }

    /// Adds a factor.
    pub(crate) fn factor(&mut self, reason: Reason, factor: i32) {
        self.0.push(Line::Factor { reason, factor });
    }

    /// The lines, in the order of calculation.
    pub fn iter(&self) -> std::slice::Iter<'_, Line> {
        self.0.iter()
    }

    /// The sum of the points times the product of the factors.
    pub fn worth(&self) -> i32 {
        let (sum, product) = self.0.iter().fold((0, 1), |(sum, product), line| match line {
            Line::Points { points, .. } => (sum + points, product),
            Line::Factor { factor, .. } => (sum, product * factor),
        });
        sum * product
    }
}
