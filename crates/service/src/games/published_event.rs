//! An event as returned and streamed to clients.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::log_position::{HashTag, LogPosition};
use estimation_engine::command::{Actor, By, Position};
use estimation_engine::hex::Hex;
use estimation_engine::redact::VisibleEvent;
use estimation_engine::seat::{LobbySlot, Seat};
use estimation_record::RecordTime;

/// The JSON text of an [`EventEnvelope`], which is its schema.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct PublishedEvent {
    /// The event's number in the game, from 1.
    #[serde(skip)]
    pub seq: u64,
    /// Distinguishes it from another event with the same number.
    #[serde(skip)]
    pub tag: HashTag,
    /// The text, shared between clients with the same view.
    text: Arc<EventText>,
}

impl PublishedEvent {
    pub(super) fn new(seq: u64, tag: HashTag, text: Arc<EventText>) -> PublishedEvent {
        PublishedEvent { seq, tag, text }
    }

    pub fn position(&self) -> LogPosition {
        LogPosition { seq: self.seq, tag: Some(self.tag) }
    }

    /// The frame that carries the event in streams. `write` makes it from the position and the JSON text, once for all
    /// clients with the same view.
    pub fn frame(&self, write: impl FnOnce(LogPosition, &str) -> Bytes) -> Bytes {
        self.text.frame.get_or_init(|| write(self.position(), self.text.json.get())).clone()
    }
}

/// The JSON text of an event, and the frame with it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct EventText {
    json: Box<RawValue>,
    #[serde(skip)]
    frame: OnceLock<Bytes>,
}

impl EventText {
    pub(super) fn new(json: Box<RawValue>) -> EventText {
        EventText { json, frame: OnceLock::new() }
    }
}

/// An event of a game, with its number, time, actor and hash.
#[derive(Serialize, ToSchema)]
pub struct EventEnvelope<'a> {
    /// The event's number in the game, from 1, without gaps.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub seq: u64,
    /// The time of the event; never before the time of the previous event.
    pub at: RecordTime,
    /// The actor.
    pub actor: PublishedActor,
    /// The hash of the event. It covers the hash of the previous event.
    pub hash: Hex<32>,
    /// The event, as the caller may see it.
    pub event: VisibleEvent<'a>,
}

estimation_engine::choices! {
    /// The kind of an actor.
    pub enum ActorKind {
        /// The rules, or the service.
        Server = "server",
        /// A player, or a bot or the clock for the player.
        Player = "player",
    }
}

/// The actor of an event.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Actor)]
pub struct PublishedActor {
    /// The kind.
    pub kind: ActorKind,
    /// The player's place, before the seats are settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub place: Option<LobbySlot>,
    /// The player's seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub seat: Option<Seat>,
    /// Who acted instead of the player; absent if the player acted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub by: Option<By>,
}

impl From<Actor> for PublishedActor {
    fn from(actor: Actor) -> PublishedActor {
        let (kind, place, seat) = match actor.position() {
            None => (ActorKind::Server, None, None),
            Some(Position::Place(place)) => (ActorKind::Player, Some(place), None),
            Some(Position::Seat(seat)) => (ActorKind::Player, None, Some(seat)),
        };
        PublishedActor { kind, place, seat, by: actor.by() }
    }
}
