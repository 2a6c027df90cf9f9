//! `sharp`: samples hidden hands that fit the view, and searches.
//!
//! Tries each option in the same sampled worlds, followed by a round played like `steady`, and chooses the
//! option with the best average.

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

/// The choice of `sharp` in a round; none if the view shows no round.
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
