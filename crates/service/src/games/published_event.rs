//! An event as returned and streamed to clients.

use std::sync::OnceLock;

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::log_position::{LogPosition, tag_of};
use super::turn::{Parts, Turn};
use estimation_engine::command::{Actor, By, Position};
use estimation_engine::event::EventKind;
use estimation_engine::hex::Hex;
use estimation_engine::redact::VisibleEvent;
use estimation_engine::seat::{Place, Seat};
use estimation_record::RecordTime;

/// An event of a game, with its number, time, actor and hash.
// Clients with the same view share one.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EventEnvelope)]
pub struct PublishedEvent {
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
    #[schema(value_type = VisibleEvent)]
    event: Box<RawValue>,
    #[serde(skip)]
    kind: EventKind,
    #[serde(skip)]
    frame: OnceLock<Bytes>,
}

impl PublishedEvent {
    /// `event` is the JSON text of a [`VisibleEvent`].
    ///
    /// # Errors
    /// If it is not.
    pub(super) fn new(
        seq: u64,
        at: RecordTime,
        actor: PublishedActor,
        hash: Hex<32>,
        (kind, event): (EventKind, String),
    ) -> serde_json::Result<PublishedEvent> {
        let event = RawValue::from_string(event)?;
        Ok(PublishedEvent { seq, at, actor, hash, event, kind, frame: OnceLock::new() })
    }

    /// What the event changes, beside what it says itself.
    pub(crate) fn changes(&self) -> Parts {
        Parts::changed_by(self.kind)
    }

    /// Whether all viewers see the same: the event is not a deal.
    pub fn is_shared(&self) -> bool {
        self.kind != EventKind::RoundDealt
    }

    pub fn position(&self) -> LogPosition {
        LogPosition { seq: self.seq, tag: Some(tag_of(&self.hash.0)) }
    }

    /// The JSON of what happened, as the viewer may see it.
    pub(super) fn json(&self) -> &str {
        self.event.get()
    }

    /// The data of the frame that carries the event in streams, beside its position.
    fn message(&self) -> serde_json::Result<String> {
        let has_hash = !self.is_shared() || self.changes().is_more_than_a_round();
        let actor = match self.actor.kind {
            ActorKind::Server => None,
            ActorKind::Player => {
                let PublishedActor { place, seat, by, .. } = self.actor;
                Some(PlayerActor { place, seat, by })
            }
        };
        let hash = Some(self.hash).filter(|_| has_hash);
        serde_json::to_string(&GameMessage { at: self.at, actor, hash, event: &self.event, turn: None })
    }

    /// The data of the frame with the turn after the event.
    ///
    /// # Errors
    /// If the event cannot be written as JSON.
    pub fn message_with(&self, turn: &str) -> serde_json::Result<String> {
        let mut text = self.message()?;
        text.pop();
        Ok([&text, ",\"turn\":", turn, "}"].concat())
    }

    /// The frame that carries the event in streams. `write` makes it from the position and the data, once for all
    /// clients with the same view.
    ///
    /// # Errors
    /// If the event cannot be written as JSON.
    pub fn frame(&self, write: impl FnOnce(LogPosition, &str) -> Bytes) -> serde_json::Result<Bytes> {
        if let Some(frame) = self.frame.get() {
            return Ok(frame.clone());
        }
        let data = self.message()?;
        Ok(self.frame.get_or_init(|| write(self.position(), &data)).clone())
    }
}

/// A message of a game's stream: an event, without what the `id` of its frame says: its number, and the first 16 digits of its hash.
/// The newest event has the turn after it.
#[derive(Serialize, ToSchema)]
pub struct GameMessage<'a> {
    /// The time of the event; never before the time of the previous event.
    pub at: RecordTime,
    /// The player who acted; absent if it was the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub actor: Option<PlayerActor>,
    /// The hash of the event. It covers the hash of the previous event. Absent in a round, except in its deal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub hash: Option<Hex<32>>,
    /// The event, as the caller may see it.
    #[schema(value_type = VisibleEvent)]
    pub event: &'a RawValue,
    /// The turn after the event; absent in events that you missed.
    // `message_with` adds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub turn: Option<Turn>,
}

/// A player who acted.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct PlayerActor {
    /// The player's place, before the seats are settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub place: Option<Place>,
    /// The player's seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub seat: Option<Seat>,
    /// Who acted instead of the player; absent if the player acted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub by: Option<By>,
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
    pub place: Option<Place>,
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
