//! Checks that the engine can play by the ruleset in a first event.

use std::collections::BTreeMap;

use estimation_engine::ruleset::{AuctionKind, Plan, Ruleset};

/// What is wrong with a recorded ruleset, if anything.
///
/// A ruleset of the current version must be exactly a published one with options applied. One of an older
/// version is accepted if the engine can play by it; one of a newer version is refused.
pub(super) fn problem(rules: &Ruleset) -> Option<String> {
    let today = Ruleset::preset(rules.id);
    if rules.version > today.version {
        return Some(format!("{} has version {}, which this program does not know", rules.id, rules.version));
    }
    let (fewest, most) = Ruleset::players_range(rules.id);
    if !(fewest..=most).contains(&rules.players) {
        return Some(format!("{} is for {fewest} to {most} players, not {}", rules.id, rules.players));
    }
    if rules.version == today.version {
        let options: BTreeMap<String, _> =
            rules.options().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        return match Ruleset::agreed(rules.id, Some(rules.players), &options) {
            Ok(agreed) if agreed == *rules => None,
            Ok(_) => Some(format!("the rules are not those of {}", rules.id)),
            Err(error) => Some(error.to_string()),
        };
    }
    let playable = rules.plan == today.plan
        && (rules.plan == Plan::Turns || rules.players == 4)
        && rules.first_dealer.index() < usize::from(rules.players)
        && rules.scoring == today.scoring
        && (rules.auction == AuctionKind::None) == (today.auction == AuctionKind::None)
        && rules.is_in_range();
    (!playable).then(|| format!("version {} of {} cannot have these rules", rules.version, rules.id))
}
