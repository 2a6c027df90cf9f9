//! Events for clients: read from the log as stored, published as a viewer may see them.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::log_position::{HashTag, tag_of};
use super::published_event::{EventEnvelope, EventText, PublishedEvent};
use crate::base::failure::Failure;
use crate::games::failure::GameFailure;
use estimation_engine::command::Actor;
use estimation_engine::event::{Event, EventKind};
use estimation_engine::hex::Hex;
use estimation_engine::redact::{Viewer, redact};
use estimation_record::RecordTime;
use estimation_store::GameId;
use estimation_store::event_reads::StoredEvent;

/// An event committed by this node, ready to publish to many clients.
pub(crate) struct CommittedEvent {
    seq: u64,
    hash: [u8; 32],
    at: RecordTime,
    actor: Actor,
    event: Event,
    /// The text for all viewers; none for a deal, which hides cards.
    shared: Option<Arc<EventText>>,
}

impl CommittedEvent {
    pub(super) fn new(
        seq: u64,
        hash: [u8; 32],
        at: RecordTime,
        actor: Actor,
        event: Event,
    ) -> Result<CommittedEvent, GameFailure> {
        let mut committed = CommittedEvent { seq, hash, at, actor, event, shared: None };
        if committed.event.kind() != EventKind::RoundDealt {
            committed.shared = Some(committed.text(Viewer::Stranger, false)?);
        }
        Ok(committed)
    }

    pub(super) fn read(game: GameId, stored: &StoredEvent) -> Result<CommittedEvent, GameFailure> {
        let raw = RawEvent::read(game, stored)?;
        CommittedEvent::new(stored.seq, stored.hash, raw.at, raw.actor, raw.event(game)?)
    }

    /// The event's number in the game, from 1.
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    /// Distinguishes the event from another one with the same number.
    pub(crate) fn tag(&self) -> HashTag {
        tag_of(&self.hash)
    }

    pub(crate) fn publish(&self, viewer: Viewer, over: bool) -> Result<PublishedEvent, GameFailure> {
        let text = self.shared.clone().map_or_else(|| self.text(viewer, over), Ok)?;
        Ok(PublishedEvent::new(self.seq, self.tag(), text))
    }

    fn text(&self, viewer: Viewer, over: bool) -> Result<Arc<EventText>, GameFailure> {
        let envelope = EventEnvelope {
            seq: self.seq,
            at: self.at,
            actor: self.actor.into(),
            hash: Hex(self.hash),
            event: redact(&self.event, viewer, over),
        };
        let text = to_raw_value(&envelope).map_err(|error| Failure::Defect(error.to_string()))?;
        Ok(Arc::new(EventText::new(text)))
    }
}

/// The stored text of an event, split without changes.
#[derive(Deserialize)]
pub(super) struct RawEvent<'a> {
    pub(super) at: RecordTime,
    pub(super) actor: Actor,
    #[serde(borrow)]
    event: &'a RawValue,
    seq: u64,
}

impl<'a> RawEvent<'a> {
    pub(super) fn read(game: GameId, stored: &'a StoredEvent) -> Result<RawEvent<'a>, GameFailure> {
        serde_json::from_str(&stored.body).map_err(|error| unreadable(game, stored.seq, &error))
    }

    /// Parses the event. An unknown kind is an error.
    pub(super) fn event(&self, game: GameId) -> Result<Event, GameFailure> {
        serde_json::from_str(self.event.get()).map_err(|error| unreadable(game, self.seq, &error))
    }
}

/// The event and its time.
pub(crate) fn event_of(game: GameId, stored: &StoredEvent) -> Result<(RecordTime, Event), GameFailure> {
    let raw = RawEvent::read(game, stored)?;
    Ok((raw.at, raw.event(game)?))
}

fn unreadable(game: GameId, seq: u64, error: &serde_json::Error) -> GameFailure {
    GameFailure::UnreadableLog { game, seq, detail: error.to_string() }
}

/// A stored event as `viewer` may see it.
pub(super) fn publish(
    game: GameId,
    stored: &StoredEvent,
    viewer: Viewer,
    over: bool,
) -> Result<PublishedEvent, GameFailure> {
    CommittedEvent::read(game, stored)?.publish(viewer, over)
}
