//! Hints for a person who plays with bots alone. The first one is recorded, because a game with a hint counts in no
//! statistics.

use super::command::Position;
use super::event::Event;
use super::game::{Game, GameStatus};
use super::rejection::Rejection;

/// The event that records a hint for the player of a position; none if the game has one already.
///
/// # Errors
/// [`Rejection::NotPlaying`], [`Rejection::SeveralPeople`] or [`Rejection::NotYourTurn`].
pub fn take_hint(game: &Game, position: Position) -> Result<Option<Event>, Rejection> {
    let status = game.status();
    if status != GameStatus::Playing {
        return Err(Rejection::NotPlaying { status });
    }
    if game.people().count() != 1 {
        return Err(Rejection::SeveralPeople);
    }
    let to_act = game.to_act();
    if to_act != Some(position) {
        return Err(Rejection::NotYourTurn { to_act });
    }
    Ok((!game.hinted).then_some(Event::HintTaken { seat: position.number() }))
}
