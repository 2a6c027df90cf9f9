//! A scene: a player's view of the game at one version, taken from a response or from a turn in a stream.

use bytes::Bytes;
use http::header::{ETAG, HeaderValue};
use serde_json::value::RawValue;

use super::listener::HeardTurn;
use super::trouble::DriveError;
use super::wire::{self, Hand, Played, Position, Round, Seat, Status, Turn, TurnEvent, View};
use crate::http::Answer;

/// The first bytes of an event's hash, which the frames of streams have.
pub(super) type Tag = [u8; 8];

/// A player's view. Its parts are slices of the response or of the frame.
#[derive(Clone)]
pub(super) struct Scene {
    /// The player's index.
    pub(super) viewer: usize,
    pub(super) game: Bytes,
    pub(super) version: u64,
    pub(super) tag: Tag,
    pub(super) etag: HeaderValue,
    pub(super) status: Status,
    pub(super) round: u8,
    /// The number of rounds in the game.
    pub(super) rounds: u8,
    pub(super) phase: Bytes,
    pub(super) to_act: Option<Position>,
    pub(super) legal: Vec<Bytes>,
    seats: Bytes,
    hands: Bytes,
    /// The letter of the led suit: none without a trick, `Some(None)` for an empty trick.
    pub(super) led: Option<Option<u8>>,
}

impl Scene {
    /// Parses a response that is a view.
    pub(super) fn of_view(viewer: usize, answer: &Answer) -> Result<Scene, DriveError> {
        Scene::of(viewer, &wire::read(answer)?, answer)
    }

    /// Parses the view after a command, with the command's events.
    pub(super) fn of_command(viewer: usize, answer: &Answer) -> Result<(Scene, Vec<Bytes>), DriveError> {
        let played: Played<'_> = wire::read(answer)?;
        let scene = Scene::of(viewer, &played.game, answer)?;
        if scene.version != played.version {
            let what = format!("version {} with a view of version {}", played.version, scene.version);
            return Err(DriveError::contradiction(played.game.id, what));
        }
        let events = slices(&answer.body, &played.events);
        Ok((scene, events))
    }

    /// The scene of a player whose stream brought a turn. What the turn does not have is as it was before.
    pub(super) fn of_turn(before: &Scene, heard: &HeardTurn) -> Result<Scene, String> {
        let unreadable = |error: serde_json::Error| format!("a turn cannot be read: {error}");
        let text = std::str::from_utf8(&heard.data).map_err(|error| error.to_string())?;
        let turn: Turn<'_> = match heard.is_alone {
            true => serde_json::from_str(text).map_err(unreadable)?,
            false => serde_json::from_str::<TurnEvent<'_>>(text).map_err(unreadable)?.turn,
        };
        let (version, tag) = heard.after;
        if turn.version.is_some_and(|other| other != version) {
            return Err(format!("after event {version} came the turn of version {:?}", turn.version));
        }
        let mut scene = Scene {
            viewer: heard.player,
            version,
            tag,
            etag: entity_tag(version, &tag),
            status: turn.status.unwrap_or(before.status),
            to_act: turn.awaited.first().copied(),
            legal: slices(&heard.data, &turn.legal),
            seats: turn.seats.map_or_else(|| before.seats.clone(), |seats| slice(&heard.data, seats.get())),
            ..before.clone()
        };
        if let Some(round) = &turn.round {
            scene.show(&heard.data, round);
        }
        Ok(scene)
    }

    fn of(viewer: usize, view: &View<'_>, answer: &Answer) -> Result<Scene, DriveError> {
        let unreadable = |cause| DriveError::unreadable(answer, cause);
        let tag_of_head = tag(view.head.hash).ok_or_else(|| unreadable("the head's hash is none"))?;
        if view.head.seq != view.version {
            return Err(unreadable("the head is not the version"));
        }
        let entity_tag = answer.headers.get(ETAG.as_str());
        let mut scene = Scene {
            viewer,
            game: slice(&answer.body, view.id),
            version: view.version,
            tag: tag_of_head,
            // The response that opens a table has no entity tag; only its version is used.
            etag: entity_tag.cloned().unwrap_or_else(|| HeaderValue::from_static("*")),
            status: view.status,
            round: 0,
            rounds: 0,
            phase: Bytes::new(),
            to_act: view.round.as_ref().and_then(|round| round.to_act),
            legal: slices(&answer.body, &view.legal),
            seats: slice(&answer.body, view.seats.get()),
            hands: Bytes::new(),
            led: None,
        };
        if let Some(round) = &view.round {
            scene.show(&answer.body, round);
        }
        Ok(scene)
    }

    /// Takes the parts that a round has. Turns have those that changed.
    fn show(&mut self, body: &Bytes, round: &Round<'_>) {
        self.round = round.number.unwrap_or(self.round);
        self.rounds = round.of.unwrap_or(self.rounds);
        if let Some(phase) = round.phase {
            self.phase = slice(body, phase);
        }
        if let Some(hands) = round.hands {
            self.hands = slice(body, hands.get());
        }
        // No trick is part of every new phase.
        if round.trick.is_some() || round.phase.is_some() {
            self.led = round.trick.as_ref().map(|trick| {
                let first = trick.plays.first()?;
                first.card.as_bytes().last().copied()
            });
        }
    }

    /// The phase of the round.
    pub(super) fn phase(&self) -> &str {
        std::str::from_utf8(&self.phase).unwrap_or_default()
    }

    /// The accounts by seat or place; none for an empty one.
    pub(super) fn accounts(&self) -> Vec<Option<&str>> {
        let seats: Vec<Seat<'_>> = serde_json::from_slice(&self.seats).unwrap_or_default();
        seats.iter().map(|seat| seat.player.as_ref()?.id).collect()
    }

    /// The cards of a hand exactly as the response shows them; empty if they are hidden.
    pub(super) fn hand_as_shown(&self, seat: usize) -> Bytes {
        let hands: Vec<Hand<'_>> = serde_json::from_slice(&self.hands).unwrap_or_default();
        let cards = hands.get(seat).and_then(|hand| hand.cards);
        cards.map_or_else(Bytes::new, |cards| self.hands.slice_ref(cards.get().as_bytes()))
    }

    /// The viewer's cards; empty if they are not shown.
    pub(super) fn hand(&self, seat: usize) -> Vec<String> {
        serde_json::from_slice(&self.hand_as_shown(seat)).unwrap_or_default()
    }
}

/// Parses the tag of a hash from hexadecimal digits.
pub(super) fn tag(hash: &str) -> Option<Tag> {
    let mut tag = Tag::default();
    hex::decode_to_slice(hash.get(..16)?, &mut tag).ok().map(|()| tag)
}

/// An entity tag of a view for `If-Match`, of which the server compares only the version and the hash.
pub(super) fn entity_tag(version: u64, tag: &Tag) -> HeaderValue {
    let tag = format!("\"{version}.{}.{:016x}\"", hex::encode(tag), 0);
    HeaderValue::try_from(tag).unwrap_or_else(|_| HeaderValue::from_static("*"))
}

/// A part of a body, without copying.
fn slice(body: &Bytes, part: &str) -> Bytes {
    body.slice_ref(part.as_bytes())
}

fn slices(body: &Bytes, parts: &[&RawValue]) -> Vec<Bytes> {
    parts.iter().map(|part| slice(body, part.get())).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const FULL: &str = "{\"version\":7,\"awaited\":[{\"seat\":1}],\"stand_ins\":[],\"connected\":[0],\"status\":\"playing\",\
        \"seats\":[{\"player\":{\"id\":\"a\"}},{\"player\":{\"id\":\"b\"}}],\
        \"round\":{\"number\":3,\"of\":19,\"phase\":\"play\",\"to_act\":{\"seat\":1},\"hands\":[{\"count\":1,\"cards\":null}]},\
        \"legal\":[{\"type\":\"play\",\"card\":\"AS\"}]  }";

    fn opening() -> Scene {
        Scene {
            viewer: 0,
            game: "g".into(),
            version: 6,
            tag: [6; 8],
            etag: HeaderValue::from_static("*"),
            status: Status::Lobby,
            round: 0,
            rounds: 0,
            phase: Bytes::new(),
            to_act: None,
            legal: Vec::new(),
            seats: Bytes::new(),
            hands: Bytes::new(),
            led: None,
        }
    }

    fn heard(data: &str, seq: u8, is_alone: bool) -> HeardTurn {
        let data = Bytes::copy_from_slice(data.as_bytes());
        HeardTurn { player: 1, at: Instant::now(), data, after: (seq.into(), [seq; 8]), is_alone }
    }

    #[test]
    fn what_a_turn_does_not_have_is_as_before() {
        let full = Scene::of_turn(&opening(), &heard(FULL, 7, true)).unwrap();
        assert_eq!((full.viewer, full.version, full.tag, full.status), (1, 7, [7; 8], Status::Playing));
        assert_eq!((full.round, full.rounds, full.phase()), (3, 19, "play"));
        assert_eq!((full.accounts(), full.to_act), (vec![Some("a"), Some("b")], Some(Position::Seat(1))));
        assert_eq!(full.legal, ["{\"type\":\"play\",\"card\":\"AS\"}"]);
        assert_eq!(full.etag, "\"7.0707070707070707.0000000000000000\"");
        let light =
            "{\"event\":{},\"turn\":{\"awaited\":[{\"seat\":0}],\"round\":{\"phase\":\"estimates\"}}}";
        let light = Scene::of_turn(&full, &heard(light, 8, false)).unwrap();
        assert_eq!((light.version, light.tag, light.to_act), (8, [8; 8], Some(Position::Seat(0))));
        assert_eq!((light.status, light.round, light.phase()), (Status::Playing, 3, "estimates"));
        assert_eq!(light.accounts(), full.accounts());
        assert!(light.legal.is_empty(), "commands of the turn before");
    }

    #[test]
    fn the_turn_of_another_version_is_refused() {
        let turn = "{\"version\":9,\"awaited\":[]}";
        let refused = |seq| Scene::of_turn(&opening(), &heard(turn, seq, true)).err();
        assert!(refused(8).is_some_and(|cause| cause.contains("version Some(9)")));
        assert_eq!(refused(9), None);
    }
}
