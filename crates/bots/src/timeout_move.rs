//! The fallback: the server's move for a player whose turn timed out. Cheap, deterministic, and never
//! surprising for the player.

use super::sight::{Sight, asked};
use super::steady;
use estimation_engine::command::Command;
use estimation_engine::view::View;

/// The middle of a pack of 52.
const MIDDLE: u8 = 26;

/// The default move for the viewer, out of `view.legal`; none only if nothing is legal.
///
/// Keeps a hand that lacks a suit, enters the auction and passes, estimates the hand's worth, and plays the
/// card that leaves the hand closest to its call. It never declares a zero or calls for a redeal on a
/// player's behalf.
pub fn timeout_move(view: &View) -> Option<Command> {
    let allowed = |call: &Command| view.legal.contains(call);
    let first =
        [Command::Avoid {}, Command::EnterAuction {}, Command::Pass {}, Command::Cut { position: MIDDLE }]
            .into_iter()
            .find(allowed);
    first.or_else(|| by_hand(view)).filter(allowed).or_else(|| asked(view).copied())
}

/// Moves that depend on the hand: an estimate, a card, or the lowest bid when bidding is compulsory.
fn by_hand(view: &View) -> Option<Command> {
    let bids = view.legal.iter().filter_map(|call| match *call {
        Command::Bid { tricks, trump } => Some((tricks, trump)),
        _ => None,
    });
    if bids.clone().next().is_none() {
        return steady::choose(view);
    }
    let sight = Sight::of(view)?;
    let caller = steady::caller(&sight);
    let height = |(tricks, trump)| (caller.missing(&Command::Bid { tricks, trump }), tricks);
    let lowest = bids.clone().map(height).min()?;
    bids.filter(|&bid| height(bid) == lowest)
        .max_by(|one, other| caller.tricks(one.1).total_cmp(&caller.tricks(other.1)))
        .map(|(tricks, trump)| Command::Bid { tricks, trump })
}
