//! The bots: players that see only what a player in their seat sees.
//!
//! [`choose`] takes a [`View`] and returns one of its legal commands. It does not accept a game, so a bot
//! cannot know anything that is not in the view.
//!
//! ```compile_fail,E0308
//! use estimation_bots::{Budget, Dice, Level, choose};
//! use estimation_engine::command::Command;
//! use estimation_engine::game::Game;
//!
//! fn peek(game: &Game) -> Option<Command> {
//!     choose(game, Level::Sharp, &mut Dice::numbered(1), Budget::Playouts(1))
//! }
//! ```
//!
//! The bots use no clock and no entropy. The caller passes a [`Budget`] for thinking and [`Dice`] from a
//! seed: the same view, seed and number of playouts give the same choice.

mod budget;
mod caller;
mod certain;
mod dice;
mod easy;
mod lanes;
mod odds;
mod sharp;
mod sight;
mod spot;
mod steady;
mod timeout_move;
mod weights;
mod worth;

pub use self::budget::Budget;
pub use self::dice::Dice;
use self::sight::choices;
pub use self::timeout_move::timeout_move;
use estimation_engine::command::Command;
pub use estimation_engine::player::BotLevel as Level;
use estimation_engine::view::View;

/// The choice of a bot for the viewer of a view: one of `view.legal`, or none if that is empty. It always
/// follows suit, even where a revoke would be accepted (`nineteen` R10), and never chooses `resume`, which is
/// for the player.
///
/// `easy` and `steady` need a fraction of a millisecond; `sharp` uses the budget.
pub fn choose(view: &View, level: Level, dice: &mut Dice, budget: Budget<'_>) -> Option<Command> {
    think(view, level, dice, budget).map(|choice| choice.command)
}

/// A choice, with its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub command: Command,
    /// The number of playouts.
    pub playouts: u32,
}

/// Like [`choose`], with the cost.
pub fn think(view: &View, level: Level, dice: &mut Dice, budget: Budget<'_>) -> Option<Choice> {
    let without_search = |command| Choice { command, playouts: 0 };
    let chosen = match level {
        Level::Easy => easy::choose(view, dice).map(without_search),
        Level::Steady => steady::choose(view).map(without_search),
        Level::Sharp => sharp::choose(view, dice, budget),
    };
    chosen
        .filter(|choice| view.legal.contains(&choice.command))
        .or_else(|| any(view, dice).map(without_search))
}

/// A random legal command, for cutting and choosing seats.
fn any(view: &View, dice: &mut Dice) -> Option<Command> {
    let count = u32::try_from(choices(view).count()).unwrap_or(u32::MAX);
    choices(view).nth(dice.below(count) as usize).copied()
}
