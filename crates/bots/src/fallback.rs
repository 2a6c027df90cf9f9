//! The fallback: what the server plays for a seat whose turn ran out. Sensible, cheap, always the same,
//! and never anything that its player would have to be told about twice.

use super::sight::{Sight, asked};
use super::steady;
use estimation_engine::command::Command;
use estimation_engine::view::View;

/// The middle of a pack of 52.
const MIDDLE: u8 = 26;

/// The default move of the seat that looks, out of `view.legal`; nothing only where nothing is legal.
///
/// A hand that lacks a suit is kept, the auction is entered and passed, the estimate is what the hand is
/// worth, and the card is the one that leaves the hand closest to its call. Nobody is bound to a zero who
/// did not ask for it, and no redeal is called in anybody's name.
pub fn fallback(view: &View) -> Option<Command> {
    let allowed = |call: &Command| view.legal.contains(call);
    let first =
        [Command::Avoid {}, Command::EnterAuction {}, Command::Pass {}, Command::Cut { position: MIDDLE }]
            .into_iter()
            .find(allowed);
    first.or_else(|| by_hand(view)).filter(allowed).or_else(|| asked(view).copied())
}

/// What depends on the hand: an estimate, a card, or the lowest bid where everybody must bid.
fn by_hand(view: &View) -> Option<Command> {
    let bids = view.legal.iter().filter_map(|call| match *call {
        Command::Bid { tricks, trump } => Some((tricks, trump)),
        _ => None,
    });
    let Some(lowest) = bids.clone().map(|(tricks, _)| tricks).min() else { return steady::choose(view) };
    let sight = Sight::of(view)?;
    let caller = steady::caller(&sight);
    bids.filter(|&(tricks, _)| tricks == lowest)
        .max_by(|one, other| caller.tricks(one.1).total_cmp(&caller.tricks(other.1)))
        .map(|(tricks, trump)| Command::Bid { tricks, trump })
}
