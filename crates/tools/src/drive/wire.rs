//! The parts of the service's responses that the driver reads.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::trouble::DriveError;
use crate::http::Answer;

/// A view of a game.
#[derive(Deserialize)]
pub(super) struct View<'a> {
    #[serde(borrow)]
    pub(super) id: &'a str,
    pub(super) version: u64,
    pub(super) head: Head<'a>,
    pub(super) status: Status,
    pub(super) seats: &'a RawValue,
    pub(super) round: Option<Round<'a>>,
    pub(super) legal: Vec<&'a RawValue>,
}

/// What may be done next, in a stream. Most turns do not have the members that did not change.
#[derive(Deserialize)]
pub(super) struct Turn<'a> {
    /// Absent beside an event.
    pub(super) version: Option<u64>,
    pub(super) awaited: Vec<Position>,
    pub(super) status: Option<Status>,
    #[serde(borrow)]
    pub(super) seats: Option<&'a RawValue>,
    pub(super) round: Option<Round<'a>>,
    #[serde(default)]
    pub(super) legal: Vec<&'a RawValue>,
}

/// The data of a frame with an event and the turn after it.
#[derive(Deserialize)]
pub(super) struct TurnEvent<'a> {
    #[serde(borrow)]
    pub(super) turn: Turn<'a>,
}

/// The last event of a game.
#[derive(Deserialize)]
pub(super) struct Head<'a> {
    pub(super) seq: u64,
    pub(super) hash: &'a str,
}

/// The status of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Lobby,
    Playing,
    Finished,
    Abandoned,
}

/// The current round; in a turn, what changed in it.
#[derive(Deserialize)]
pub(super) struct Round<'a> {
    pub(super) number: Option<u8>,
    /// The number of rounds in the game.
    pub(super) of: Option<u8>,
    pub(super) phase: Option<&'a str>,
    pub(super) to_act: Option<Position>,
    #[serde(borrow)]
    pub(super) hands: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) trick: Option<Trick<'a>>,
}

/// A player's position: a place until the seats are settled, then a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Position {
    Place(usize),
    Seat(usize),
}

impl Position {
    pub(super) fn number(self) -> usize {
        let (Position::Place(number) | Position::Seat(number)) = self;
        number
    }
}

/// A seat of the table.
#[derive(Deserialize)]
pub(super) struct Seat<'a> {
    #[serde(borrow)]
    pub(super) player: Option<Sitter<'a>>,
}

/// The occupant of a seat.
#[derive(Deserialize)]
pub(super) struct Sitter<'a> {
    pub(super) id: Option<&'a str>,
}

/// A hand; without cards if they are hidden.
#[derive(Deserialize)]
pub(super) struct Hand<'a> {
    #[serde(borrow)]
    pub(super) cards: Option<&'a RawValue>,
}

/// The response to a command.
#[derive(Deserialize)]
pub(super) struct Played<'a> {
    pub(super) version: u64,
    #[serde(borrow)]
    pub(super) events: Vec<&'a RawValue>,
    pub(super) game: View<'a>,
}

/// The short response to a command.
#[derive(Deserialize)]
pub(super) struct Acknowledged<'a> {
    pub(super) version: u64,
    #[serde(borrow)]
    pub(super) head: Head<'a>,
}

/// The fields all events have.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow)]
    pub(super) event: EventKind<'a>,
}

#[derive(Deserialize)]
pub(super) struct EventKind<'a> {
    pub(super) r#type: &'a str,
}

/// The kind of a command, with its number if it has one.
#[derive(Deserialize)]
pub(super) struct CommandKind<'a> {
    pub(super) r#type: &'a str,
    pub(super) tricks: Option<u8>,
}

/// A registered account.
#[derive(Deserialize)]
pub(super) struct Registered {
    pub(super) account: Account,
    pub(super) session: Session,
}

#[derive(Deserialize)]
pub(super) struct Account {
    pub(super) id: String,
}

#[derive(Deserialize)]
pub(super) struct Session {
    pub(super) access_token: String,
    pub(super) refresh_token: String,
}

#[derive(Deserialize)]
pub(super) struct Trick<'a> {
    #[serde(borrow)]
    pub(super) plays: Vec<Play<'a>>,
}

/// A card in a trick.
#[derive(Deserialize)]
pub(super) struct Play<'a> {
    pub(super) card: &'a str,
}

#[derive(Deserialize)]
pub(super) struct Problem {
    pub(super) code: String,
    pub(super) status: u16,
}

/// Parses the body of a response.
pub(super) fn read<'a, T: Deserialize<'a>>(answer: &'a Answer) -> Result<T, DriveError> {
    // Check the encoding once for the whole body.
    let text = std::str::from_utf8(&answer.body).map_err(|error| DriveError::unreadable(answer, error))?;
    serde_json::from_str(text).map_err(|error| DriveError::unreadable(answer, error))
}

/// The code of a problem; empty for other responses.
pub(super) fn code(answer: &Answer) -> String {
    serde_json::from_slice::<Problem>(&answer.body).map(|problem| problem.code).unwrap_or_default()
}
