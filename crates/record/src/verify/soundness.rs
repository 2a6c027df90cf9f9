//! Checks that the engine can play by the ruleset in a first event.

use std::collections::BTreeMap;

use estimation_engine::ruleset::Ruleset;

/// What is wrong with a recorded ruleset, if anything.
///
/// The ruleset must be a published one of the published version, with options applied.
pub(super) fn problem(rules: &Ruleset) -> Option<String> {
    if rules.version != Ruleset::preset(rules.id).version {
        return Some(format!("{} has version {}, which this program does not know", rules.id, rules.version));
    }
    let options: BTreeMap<String, _> =
        rules.options().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    match Ruleset::agreed(rules.id, Some(rules.players), &options) {
        Ok(agreed) if agreed == *rules => None,
        Ok(_) => Some(format!("the rules are not those of {}", rules.id)),
        Err(error) => Some(error.to_string()),
    }
}
