//! The bots: players that see what a player in their seat sees, and nothing else.
//!
//! [`choose`] takes a [`View`] and gives one of the commands the view lists. It cannot be given a game: the
//! view is the only door, and what is not in it no bot can know.
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
//! The bots own no clock and no entropy. How long to think is a [`Budget`] from the caller, and chance is
//! [`Dice`] from a seed the caller draws: the same view, seed and number of playouts give the same choice.

mod budget;
mod caller;
mod dice;
mod easy;
mod fallback;
mod lanes;
mod odds;
mod sharp;
mod sight;
mod spot;
mod steady;
mod weights;
mod worth;

pub use self::budget::Budget;
pub use self::dice::Dice;
pub use self::fallback::fallback;
use self::sight::choices;
use estimation_engine::command::Command;
pub use estimation_engine::player::BotLevel as Level;
use estimation_engine::view::View;

/// What a bot of a level does in the seat a view belongs to: one of `view.legal`, or nothing if that is
/// empty. It is always a card that follows, even where a revoke would be taken (`nineteen` R10), and never
/// `resume`, which is the player's own.
///
/// `easy` and `steady` answer within a fraction of a millisecond; `sharp` thinks as long as the budget
/// lets it.
pub fn choose(view: &View, level: Level, dice: &mut Dice, budget: Budget<'_>) -> Option<Command> {
    think(view, level, dice, budget).map(|choice| choice.command)
}

/// A choice, and what it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The command.
    pub command: Command,
    /// How many playouts were made for it.
    pub playouts: u32,
}

/// What [`choose`] does, with what it took.
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

/// Any legal command: where to cut, and where to sit.
fn any(view: &View, dice: &mut Dice) -> Option<Command> {
    let count = u32::try_from(choices(view).count()).unwrap_or(u32::MAX);
    choices(view).nth(dice.below(count) as usize).copied()
}
