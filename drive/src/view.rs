//! What a player sees of a game: the parts of the service's responses and turns that the driver reads.

use std::time::Instant;

use bytes::Bytes;
use hyper::header::{ETAG, HeaderValue};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::DriveError;
use crate::http::Answer;

/// The first 16 hexadecimal digits of an event's hash, which the frames of streams have.
pub type Tag = String;

/// A turn in the stream of a player.
pub struct HeardTurn {
    pub player: usize,
    /// The time of its arrival.
    pub at: Instant,
    /// The data of its frame.
    pub data: Bytes,
    /// The number and the tag of the last event.
    pub after: (u64, Tag),
    /// Whether the frame is the turn alone, without an event.
    pub is_alone: bool,
}

/// A command as the service lists it.
pub type Command = Box<RawValue>;

/// The exact text of an event.
pub type Event = Box<RawValue>;

/// A view of a game.
#[derive(Deserialize)]
struct View {
    id: String,
    version: u64,
    head: Head,
    status: Status,
    seats: Vec<Seat>,
    round: Option<Round>,
    legal: Vec<Command>,
}

/// The last event of a game.
#[derive(Deserialize)]
pub struct Head {
    pub seq: u64,
    pub hash: String,
}

/// The status of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Lobby,
    Playing,
    Finished,
    Abandoned,
}

/// A player's position: a place until the seats are settled, then a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    Place(usize),
    Seat(usize),
}

/// The current round; in a turn, what changed in it.
#[derive(Clone, Default, Deserialize)]
pub struct Round {
    number: Option<u8>,
    /// The number of rounds in the game.
    of: Option<u8>,
    phase: Option<String>,
    to_act: Option<Position>,
    hands: Option<Vec<Hand>>,
    trick: Option<Trick>,
}

/// A hand; without cards if they are hidden.
#[derive(Clone, Deserialize)]
struct Hand {
    cards: Option<Vec<String>>,
}

#[derive(Clone, Deserialize)]
struct Trick {
    plays: Vec<Play>,
}

/// A card in a trick.
#[derive(Clone, Deserialize)]
struct Play {
    card: String,
}

#[derive(Clone, Deserialize)]
pub struct Seat {
    player: Option<Sitter>,
}

#[derive(Clone, Deserialize)]
struct Sitter {
    /// None for a bot.
    id: Option<String>,
}

/// What may be done next, in a stream. Most turns do not have the members that did not change.
#[derive(Deserialize)]
struct Turn {
    /// Absent beside an event.
    version: Option<u64>,
    awaited: Vec<Position>,
    status: Option<Status>,
    seats: Option<Vec<Seat>>,
    round: Option<Round>,
    #[serde(default)]
    legal: Vec<Command>,
}

/// The data of a frame with an event and the turn after it.
#[derive(Deserialize)]
struct TurnEvent {
    turn: Turn,
}

/// The response to a command.
#[derive(Deserialize)]
struct CommandAnswer {
    version: u64,
    events: Vec<Event>,
    game: View,
}

/// The kind of a command, with its number if it has one.
#[derive(Deserialize)]
pub struct CommandKind<'a> {
    pub r#type: &'a str,
    pub tricks: Option<u8>,
}

impl<'a> CommandKind<'a> {
    pub fn of(command: &'a Command) -> Option<CommandKind<'a>> {
        serde_json::from_str(command.get()).ok()
    }
}

impl Position {
    pub fn number(self) -> usize {
        let (Position::Place(number) | Position::Seat(number)) = self;
        number
    }
}

/// The command that plays a card.
pub fn play(card: &str) -> Option<Command> {
    RawValue::from_string(format!("{{\"type\":\"play\",\"card\":\"{card}\"}}")).ok()
}

/// A player's view of the game at one version, from a response or from turns in a stream.
#[derive(Clone)]
pub struct Scene {
    /// The player's index.
    pub viewer: usize,
    pub version: u64,
    /// The tag of the last event.
    pub tag: Tag,
    pub etag: HeaderValue,
    pub status: Status,
    pub round: Round,
    pub to_act: Option<Position>,
    pub legal: Vec<Command>,
    pub seats: Vec<Seat>,
}

impl Scene {
    /// Parses a response that is a view. Returns the game's id too.
    pub fn of_view(viewer: usize, answer: &Answer) -> Result<(String, Scene), DriveError> {
        Scene::of(viewer, answer.read()?, answer)
    }

    /// Parses the view after a command, with the command's events.
    pub fn of_command(viewer: usize, answer: &Answer) -> Result<(Scene, Vec<Event>), DriveError> {
        let CommandAnswer { version, events, game } = answer.read()?;
        let (id, scene) = Scene::of(viewer, game, answer)?;
        if scene.version != version {
            let what = format!("version {version} with a view of version {}", scene.version);
            return Err(DriveError::contradiction(&id, what));
        }
        Ok((scene, events))
    }

    /// The scene of a player whose stream brought a turn. What the turn does not have is as it was before.
    pub fn of_turn(before: &Scene, heard: HeardTurn) -> Result<Scene, String> {
        let HeardTurn { player: viewer, data, after: (number, tag), is_alone, .. } = heard;
        let turn = match is_alone {
            true => serde_json::from_slice(&data),
            false => serde_json::from_slice(&data).map(|TurnEvent { turn }| turn),
        };
        let turn = turn.map_err(|error| format!("a turn cannot be read: {error}"))?;
        let Turn { version, awaited, status, seats, round, legal } = turn;
        if let Some(version) = version.filter(|version| *version != number) {
            return Err(format!("after event {number} came the turn of version {version}"));
        }
        let mut scene = Scene {
            viewer,
            version: number,
            etag: entity_tag(number, &tag),
            tag,
            status: status.unwrap_or(before.status),
            round: before.round.clone(),
            to_act: awaited.first().copied(),
            legal,
            seats: seats.unwrap_or_else(|| before.seats.clone()),
        };
        scene.round.change(round.unwrap_or_default());
        Ok(scene)
    }

    fn of(viewer: usize, view: View, answer: &Answer) -> Result<(String, Scene), DriveError> {
        let View { id, version, head, status, seats, round, legal } = view;
        if head.seq != version {
            return Err(DriveError::unreadable(answer, "the head is not the version"));
        }
        // The response that opens a table has no entity tag; only its version is used.
        let etag = answer.headers.get(ETAG).cloned().unwrap_or_else(|| HeaderValue::from_static("*"));
        let round = round.unwrap_or_default();
        let to_act = round.to_act;
        let tag = tag(&head.hash).ok_or_else(|| DriveError::unreadable(answer, "the head has no hash"))?;
        Ok((id, Scene { viewer, version, tag, etag, status, round, to_act, legal, seats }))
    }

    /// The number of the round, and of rounds in the game; 0 before the first.
    pub fn rounds(&self) -> (u8, u8) {
        (self.round.number.unwrap_or(0), self.round.of.unwrap_or(0))
    }

    /// The phase of the round.
    pub fn phase(&self) -> &str {
        self.round.phase.as_deref().unwrap_or_default()
    }

    /// The first card of the trick: none without a trick, `Some(None)` for an empty trick.
    pub fn led(&self) -> Option<Option<&String>> {
        self.round.trick.as_ref().map(|trick| trick.plays.first().map(|play| &play.card))
    }

    /// The accounts by seat or place; none for an empty one and for a bot.
    pub fn accounts(&self) -> Vec<Option<&str>> {
        self.seats.iter().map(|seat| seat.player.as_ref()?.id.as_deref()).collect()
    }

    /// The cards of a hand; empty if they are hidden.
    pub fn hand(&self, seat: usize) -> &[String] {
        let hand = self.round.hands.as_ref().and_then(|hands| hands.get(seat)?.cards.as_deref());
        hand.unwrap_or_default()
    }
}

impl Round {
    /// Takes what a turn brought.
    fn change(&mut self, changed: Round) {
        let Round { number, of, phase, to_act, hands, trick } = changed;
        // No trick is part of every new phase.
        if trick.is_some() || phase.is_some() {
            self.trick = trick;
        }
        self.number = number.or(self.number);
        self.of = of.or(self.of);
        self.to_act = to_act;
        self.phase = phase.or(self.phase.take());
        self.hands = hands.or(self.hands.take());
    }
}

/// The tag of a hash.
pub fn tag(hash: &str) -> Option<Tag> {
    hash.get(..16).map(str::to_owned)
}

/// An entity tag of a view for `If-Match`, of which the server compares only the version and the hash.
pub fn entity_tag(version: u64, tag: &str) -> HeaderValue {
    let tag = format!("\"{version}.{tag}.{:016x}\"", 0);
    HeaderValue::try_from(tag).unwrap_or_else(|_| HeaderValue::from_static("*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = r#"{"version":7,"awaited":[{"seat":1}],"stand_ins":[],"connected":[0],"status":"playing",
        "seats":[{"player":{"id":"a"}},{"player":{"id":"b"}}],
        "round":{"number":3,"of":19,"phase":"play","to_act":{"seat":1},"hands":[{"count":1,"cards":null}]},
        "legal":[{"type":"play","card":"AS"}]  }"#;

    fn turn(before: &Scene, data: &str, seq: u8, is_alone: bool) -> Result<Scene, String> {
        let (data, after) =
            (Bytes::copy_from_slice(data.as_bytes()), (seq.into(), format!("{seq:02x}").repeat(8)));
        Scene::of_turn(before, HeardTurn { player: 1, at: Instant::now(), data, after, is_alone })
    }

    fn opening() -> Scene {
        Scene {
            viewer: 0,
            version: 6,
            tag: "06".repeat(8),
            etag: HeaderValue::from_static("*"),
            status: Status::Lobby,
            round: Round::default(),
            to_act: None,
            legal: Vec::new(),
            seats: Vec::new(),
        }
    }

    #[test]
    fn what_a_turn_does_not_have_is_as_before() {
        let full = turn(&opening(), FULL, 7, true).unwrap();
        assert_eq!((full.viewer, full.version, full.status), (1, 7, Status::Playing));
        assert_eq!((full.rounds(), full.phase()), ((3, 19), "play"));
        assert_eq!((full.accounts(), full.to_act), (vec![Some("a"), Some("b")], Some(Position::Seat(1))));
        assert_eq!(full.legal[0].get(), play("AS").unwrap().get());
        assert_eq!(full.etag, "\"7.0707070707070707.0000000000000000\"");
        let light = r#"{"event":{},"turn":{"awaited":[{"seat":0}],"round":{"phase":"estimates"}}}"#;
        let light = turn(&full, light, 8, false).unwrap();
        assert_eq!((light.version, light.to_act), (8, Some(Position::Seat(0))));
        assert_eq!(light.tag, "08".repeat(8));
        assert_eq!((light.status, light.rounds(), light.phase()), (Status::Playing, (3, 19), "estimates"));
        assert_eq!(light.accounts(), full.accounts());
        assert!(light.legal.is_empty(), "commands of the turn before");
    }

    #[test]
    fn the_turn_of_another_version_is_refused() {
        let of = |seq| turn(&opening(), r#"{"version":9,"awaited":[]}"#, seq, true).err();
        assert!(of(8).is_some_and(|cause| cause.contains("version 9")));
        assert_eq!(of(9), None);
    }
}
