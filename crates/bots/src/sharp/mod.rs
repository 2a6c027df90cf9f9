//! `sharp`: samples the hidden hands so that they fit what its view shows, and searches.
//!
//! Each option is tried in the same sampled worlds and followed by a round played as `steady` plays it;
//! the option with the best points on average is chosen.

mod calls;
mod cards;
mod payoff;
mod race;
mod table;
#[cfg(test)]
mod tests;
mod worlds;

use super::Choice;
use super::budget::Budget;
use super::dice::Dice;
use super::sight::{Sight, choices};
use estimation_engine::command::Command;
use estimation_engine::view::View;

/// What `sharp` does in a round; nothing where the view shows none.
pub(super) fn choose(view: &View, dice: &mut Dice, budget: Budget<'_>) -> Option<Choice> {
    let sight = Sight::of(view)?;
    let mut choices = choices(view);
    match (choices.next()?, choices.next()) {
        (Command::ChooseSeat { .. } | Command::Cut { .. }, _) => None,
        (only, None) => Some(Choice { command: *only, playouts: 0 }),
        (Command::Play { .. }, _) => cards::choose(&sight, dice, budget),
        _ => calls::choose(view, &sight, dice, budget),
    }
}
