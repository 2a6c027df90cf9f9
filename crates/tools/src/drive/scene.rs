//! A scene: a player's view of the game at one version, taken from a response.

use hyper::body::Bytes;
use hyper::header::{ETAG, HeaderValue};

use estimation_record::Hash;

use super::trouble::DriveError;
use super::wire::{self, Hand, Played, Position, Seat, Status, View};
use crate::http::Answer;

/// A player's view. Its parts are slices of the response.
#[derive(Clone)]
pub(super) struct Scene {
    /// The player's index.
    pub(super) viewer: usize,
    pub(super) game: Bytes,
    pub(super) version: u64,
    pub(super) hash: Hash,
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
        let events = played.events.iter().map(|event| slice(answer, event.get())).collect();
        Ok((scene, events))
    }

    fn of(viewer: usize, view: &View<'_>, answer: &Answer) -> Result<Scene, DriveError> {
        let unreadable = |cause| DriveError::unreadable(answer, cause);
        let hash = hash(view.head.hash).ok_or_else(|| unreadable("the head's hash is none"))?;
        if view.head.seq != view.version {
            return Err(unreadable("the head is not the version"));
        }
        let tag = answer.headers.get(ETAG.as_str());
        let round = view.round.as_ref();
        Ok(Scene {
            viewer,
            game: slice(answer, view.id),
            version: view.version,
            hash,
            // The response that opens a table has no entity tag; only its version is used.
            etag: tag.cloned().unwrap_or_else(|| HeaderValue::from_static("*")),
            status: view.status,
            round: round.map_or(0, |round| round.number),
            rounds: round.map_or(0, |round| round.of),
            phase: round.map_or_else(Bytes::new, |round| slice(answer, round.phase)),
            to_act: round.and_then(|round| round.to_act),
            legal: view.legal.iter().map(|command| slice(answer, command.get())).collect(),
            seats: slice(answer, view.seats.get()),
            hands: round.map_or_else(Bytes::new, |round| slice(answer, round.hands.get())),
            led: round.and_then(|round| round.trick.as_ref()).map(|trick| {
                let first = trick.plays.first()?;
                first.card.as_bytes().last().copied()
            }),
        })
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

/// Parses a hash from hexadecimal digits.
pub(super) fn hash(text: &str) -> Option<Hash> {
    let mut hash = [0; 32];
    hex::decode_to_slice(text, &mut hash).ok().map(|()| hash)
}

/// A part of a response's body, without copying.
fn slice(answer: &Answer, part: &str) -> Bytes {
    answer.body.slice_ref(part.as_bytes())
}
