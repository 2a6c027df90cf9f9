//! The ids of the rulesets.

use crate::http::contract::declare::names;

names! {
    /// One of the five published rulesets.
    pub enum RulesetId {
        /// 19 turns, turned trump, penalty points.
        Nineteen = "nineteen",
        /// Calls of eight and more score their square.
        Squares = "squares",
        /// The round number is part of every score.
        Kabooot = "kabooot",
        /// Tricks, or minus the difference.
        Plain = "plain",
        /// Bidder, With, Risk and Double Risk add up.
        DoubleRisk = "double-risk",
    }
}
