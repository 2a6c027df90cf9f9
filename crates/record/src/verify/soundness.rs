//! Whether the rules in a first event can be played by at all, so that nothing after it can surprise the
//! engine.

use std::collections::BTreeMap;

use estimation_engine::ruleset::{AuctionKind, Plan, Ruleset};

/// What is wrong with a ruleset that stands in a record, if something is.
///
/// In today's version it must be a published ruleset with options applied, exactly. An older version is
/// taken at its word where a table can be made of it; a newer one cannot be judged.
pub(super) fn complaint(rules: &Ruleset) -> Option<String> {
    let today = Ruleset::preset(rules.id);
    if rules.version > today.version {
        return Some(format!("{} has version {}, which this program does not know", rules.id, rules.version));
    }
    let (fewest, most) = Ruleset::players_range(rules.id);
    if !(fewest..=most).contains(&rules.players) {
        return Some(format!("{} is played by {fewest} to {most}, not by {}", rules.id, rules.players));
    }
    if rules.version == today.version {
        let options: BTreeMap<String, _> =
            rules.options().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        return match Ruleset::agreed(rules.id, Some(rules.players), &options) {
            Ok(agreed) if agreed == *rules => None,
            Ok(_) => Some(format!("{} does not fix what stands there", rules.id)),
            Err(error) => Some(error.to_string()),
        };
    }
    let playable = rules.plan == today.plan
        && (rules.plan == Plan::Turns || rules.players == 4)
        && rules.first_dealer.index() < usize::from(rules.players)
        && rules.scoring == today.scoring
        && (rules.auction == AuctionKind::None) == (today.auction == AuctionKind::None)
        && rules.jokers <= 2
        && (1..=7).contains(&rules.minimum_bid)
        && rules.dash_limit <= 3;
    (!playable).then(|| format!("version {} of {} cannot be played like that", rules.version, rules.id))
}
