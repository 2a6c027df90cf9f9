//! What the rulesets are called.

use super::RulesetId;

/// The published title of a ruleset.
pub(super) const fn title(id: RulesetId) -> &'static str {
    match id {
        RulesetId::Nineteen => "Nineteen",
        RulesetId::Squares => "Squares",
        RulesetId::Kabooot => "Kabooot",
        RulesetId::Plain => "Plain",
        RulesetId::DoubleRisk => "Double Risk",
    }
}

/// What distinguishes a ruleset, in one sentence.
pub(super) const fn description(id: RulesetId) -> &'static str {
    match id {
        RulesetId::Nineteen => {
            "Nineteen turns from one card to ten and back with a turned trump; penalty points, and the lowest total wins."
        }
        RulesetId::Squares => {
            "An ascending auction; calls of eight and more score their square, dash calls 23 or 33; folded rounds, the thirteenth round and two Withs double."
        }
        RulesetId::Kabooot => {
            "The round number is part of every score; blind dashes before the auction, and a kabooot for calling and taking all thirteen."
        }
        RulesetId::Plain => {
            "Tricks if you make your call, minus the difference if you do not, and nothing else; seats are drawn, the pack is cut, one call each."
        }
        RulesetId::DoubleRisk => {
            "Bidder, With, Risk and Double Risk add up, calls of eight and more double, and every round without a winner raises the next."
        }
    }
}
