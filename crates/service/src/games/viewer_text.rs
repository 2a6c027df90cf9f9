//! Texts for one viewer, whose length tells nothing of what only the viewer may know: the part that depends on it is
//! followed by spaces, which JSON allows, up to the most that it can take.

use serde::Serialize;
use serde::ser::Error;

use estimation_engine::card::{Card, Rank, Suit};
use estimation_engine::command::{Command, Position};
use estimation_engine::event::Event;
use estimation_engine::game::{Game, Stage};
use estimation_engine::legal::{Legal, legal, legal_commands};
use estimation_engine::redact::{Viewer, redact};

/// A card with the longest text.
const LONGEST: Card = Card::new(Suit::Spades, Rank::TEN);

/// JSON that the viewer alone may know, with as many spaces after it as make it as long as `longest`.
fn padded(json: &impl Serialize, longest: &impl Serialize) -> serde_json::Result<String> {
    let mut text = serde_json::to_string(json)?;
    let missing = serde_json::to_string(longest)?.len().saturating_sub(text.len());
    text.extend(std::iter::repeat_n(' ', missing));
    Ok(text)
}

/// An event as a viewer may see it, as JSON.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn event_text(event: &Event, viewer: Viewer, over: bool) -> serde_json::Result<String> {
    let text = serde_json::to_string(&redact(event, viewer, over))?;
    if let (Event::RoundDealt(deal), Viewer::Seat(seat), false) = (event, viewer, over) {
        let hand = &deal.hands[seat];
        let (before, after) = text
            .split_once(&serde_json::to_string(hand)?)
            .ok_or_else(|| serde_json::Error::custom("a deal without the viewer's hand"))?;
        let cards = padded(hand, &vec![LONGEST; hand.len().into()])?;
        return Ok([before, &cards, after].concat());
    }
    Ok(text)
}

/// The commands that a position may post, as JSON; none if it may post none. Only which cards are legal depends on a hand.
///
/// # Errors
/// If they cannot be written as JSON.
pub fn legal_text(game: &Game, position: Position) -> serde_json::Result<Option<String>> {
    let commands = legal_commands(game, position);
    if commands.is_empty() {
        return Ok(None);
    }
    match (legal(game, position), &game.stage, position) {
        (Legal::Cards(_), Stage::Round(round), Position::Seat(seat)) => {
            let is_play = |command: &Command| matches!(command, Command::Play { .. });
            let plays = vec![Command::Play { card: LONGEST }; round.hands[seat].len().into()];
            let others = commands.iter().copied().filter(|command| !is_play(command));
            let longest: Vec<Command> = plays.into_iter().chain(others).collect();
            padded(&commands, &longest).map(Some)
        }
        _ => serde_json::to_string(&commands).map(Some),
    }
}
