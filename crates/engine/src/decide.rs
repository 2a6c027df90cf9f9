//! Decides commands: a command becomes events or a rejection.

use super::chance::Chance;
use super::command::{Actor, Command, Position};
use super::consequence::{Foreseen, aftermath, consequence, foresee};
use super::event::{Event, Events};
use super::evolve::evolve;
use super::game::{Game, Stage};
use super::legal::legal;
use super::rejection::{Rejection, explain};
use super::round::Phase;
use super::ruleset::Revokes;

/// Decides a command of play: its leading event and the events that the rules derive.
///
/// Calls `chance` only for a deal or the end of the game.
///
/// # Errors
/// The rule that the command breaks. Nothing has changed.
pub fn decide(
    game: &Game,
    actor: Actor,
    command: &Command,
    chance: &mut dyn Chance,
) -> Result<Events, Rejection> {
    Ok(complete(game, actor, lead(game, actor, command)?, chance))
}

/// The leading event of a command of play, without derived events.
///
/// # Errors
/// The rule that the command breaks.
pub fn lead(game: &Game, actor: Actor, command: &Command) -> Result<Event, Rejection> {
    let position = actor.position().ok_or(Rejection::NotSeated)?;
    if game.table.place_of(position).is_some_and(|place| !game.may_act_at(place, actor.by())) {
        return Err(Rejection::NotSeated);
    }
    // Only the player can take the seat back.
    let is_others = matches!(command, Command::Resume {}) && actor.by().is_some();
    if is_others || !is_listed(game, position, command) && !is_penalised_revoke(game, position, command) {
        return Err(explain(game, position, command));
    }
    Event::from_command(position, command).ok_or(Rejection::NotSeated)
}

/// Checks that a command is one of [`legal_commands`](super::legal::legal_commands), which a penalised revoke is not.
///
/// # Errors
/// The rule that the command breaks.
pub fn check(game: &Game, position: Position, command: &Command) -> Result<(), Rejection> {
    if is_listed(game, position, command) { Ok(()) } else { Err(explain(game, position, command)) }
}

fn is_listed(game: &Game, position: Position, command: &Command) -> bool {
    match command {
        Command::Resume {} => game.may_resume(position),
        _ => legal(game, position).contains(command),
    }
}

/// A leading event and all derived events: first those of its actor, then those of the state.
pub fn complete(game: &Game, actor: Actor, leading: Event, chance: &mut dyn Chance) -> Events {
    let mut events = Events::new();
    let foreseen = foresee(game, &leading);
    let aftermath = aftermath(game, actor, &leading);
    events.push(leading);
    // Most commands have none, and extending by nothing costs more than this check.
    if !aftermath.is_empty() {
        events.extend(aftermath);
    }
    match foreseen {
        Foreseen::Nothing => {}
        Foreseen::Only(event) => events.push(event),
        Foreseen::Unknown => derive(game, &mut events, chance),
    }
    events
}

/// Adds the events that follow from the state after the first ones.
pub(super) fn derive(game: &Game, events: &mut Events, chance: &mut dyn Chance) {
    let mut after = game.clone();
    events.iter().for_each(|event| evolve(&mut after, event));
    while let Some(event) = consequence(&after, chance) {
        evolve(&mut after, &event);
        events.push(event);
    }
}

/// Whether a command is a revoke that the table accepts and penalises (`nineteen` R10).
fn is_penalised_revoke(game: &Game, position: Position, command: &Command) -> bool {
    if let (Stage::Round(round), Position::Seat(seat), Command::Play { card }) =
        (&game.stage, position, command)
        && let Phase::Play(_) = round.phase
    {
        game.rules().revokes == Revokes::Penalise
            && game.to_act() == Some(position)
            && round.hands[seat].contains(*card)
    } else {
        false
    }
}
