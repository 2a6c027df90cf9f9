//! Texts for one viewer, whose length tells nothing of what only the viewer may know: the part that depends on it is
//! followed by spaces, which JSON allows, up to the most that it can take.

use std::ops::Range;

use bytes::Bytes;
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

/// A text, and the range in it that depends on what only its viewer may know.
#[derive(Clone, Debug, Default)]
pub struct ViewerText {
    pub(super) text: String,
    pub(super) private: Range<usize>,
}

/// A frame of a stream. Clones share the bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub bytes: Bytes,
    /// The bytes that depend on what only the viewer may know; their number does not.
    pub private: Range<usize>,
}

impl ViewerText {
    /// A text that all may know.
    pub fn public(text: impl Into<String>) -> ViewerText {
        ViewerText { text: text.into(), private: 0..0 }
    }

    /// JSON that the viewer alone may know, with as many spaces after it as make it as long as `longest`.
    fn private(json: &impl Serialize, longest: &impl Serialize) -> serde_json::Result<ViewerText> {
        let mut text = serde_json::to_string(json)?;
        let missing = serde_json::to_string(longest)?.len().saturating_sub(text.len());
        text.extend(std::iter::repeat_n(' ', missing));
        let private = 0..text.len();
        Ok(ViewerText { text, private })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Adds a public text.
    #[must_use]
    pub fn then(mut self, text: &str) -> ViewerText {
        self.text.push_str(text);
        self
    }

    /// Adds a text. If both have a private part, what is between them counts as private.
    #[must_use]
    pub fn and(mut self, other: &ViewerText) -> ViewerText {
        let Range { start, end } = other.private;
        let (start, end) = (self.text.len() + start, self.text.len() + end);
        self.private = match (self.private.is_empty(), other.private.is_empty()) {
            (_, true) => self.private,
            (true, false) => start..end,
            (false, false) => self.private.start..end,
        };
        self.text.push_str(&other.text);
        self
    }

    pub fn into_frame(self) -> Frame {
        Frame { bytes: self.text.into(), private: self.private }
    }
}

impl From<&'static str> for Frame {
    /// A public frame.
    fn from(text: &'static str) -> Frame {
        Frame { bytes: Bytes::from_static(text.as_bytes()), private: 0..0 }
    }
}

/// An event as a viewer may see it, as JSON.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn event_text(event: &Event, viewer: Viewer, over: bool) -> serde_json::Result<ViewerText> {
    let text = serde_json::to_string(&redact(event, viewer, over))?;
    if let (Event::RoundDealt(deal), Viewer::Seat(seat), false) = (event, viewer, over) {
        let hand = &deal.hands[seat];
        let (before, after) = text
            .split_once(&serde_json::to_string(hand)?)
            .ok_or_else(|| serde_json::Error::custom("a deal without the viewer's hand"))?;
        let cards = ViewerText::private(hand, &vec![LONGEST; hand.len().into()])?;
        return Ok(ViewerText::public(before).and(&cards).then(after));
    }
    Ok(ViewerText::public(text))
}

/// The commands that a position may post, as JSON; none if it may post none. Only which cards are legal depends on a hand.
///
/// # Errors
/// If they cannot be written as JSON.
pub fn legal_text(game: &Game, position: Position) -> serde_json::Result<Option<ViewerText>> {
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
            ViewerText::private(&commands, &longest).map(Some)
        }
        _ => Ok(Some(ViewerText::public(serde_json::to_string(&commands)?))),
    }
}
