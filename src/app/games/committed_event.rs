//! Events for clients: read from the log as stored, published as a viewer may see them.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::log_position::{HashTag, tag_of};
use super::published_event::{EventEnvelope, PublishedEvent};
use crate::app::failure::Failure;
use crate::engine::chance::Hex;
use crate::engine::command::Actor;
use crate::engine::event::{Event, EventKind};
use crate::engine::redact::{Viewer, redact};
use crate::store::GameId;
use crate::store::event_reads::StoredEvent;
use estimation_record::RecordTime;

/// An event committed by this node, ready to publish to many clients.
pub(in crate::app) struct CommittedEvent {
    stored: StoredEvent,
    body: EventBody,
    /// The text for viewers from whom nothing is hidden, or if nothing of the event is ever hidden.
    shared: Option<Arc<RawValue>>,
}

/// The content of a stored event.
struct EventBody {
    at: RecordTime,
    actor: Actor,
    event: Event,
}

impl CommittedEvent {
    pub(super) fn new(game: GameId, stored: StoredEvent, event: Event) -> Result<CommittedEvent, Failure> {
        let RawEvent { at, actor, .. } = RawEvent::read(game, &stored)?;
        let mut committed = CommittedEvent { body: EventBody { at, actor, event }, stored, shared: None };
        if committed.body.event.kind() != EventKind::RoundDealt {
            committed.shared = Some(committed.text(Viewer::Stranger, false)?);
        }
        Ok(committed)
    }

    pub(super) fn read(game: GameId, stored: StoredEvent) -> Result<CommittedEvent, Failure> {
        let event = stored.event_of(game)?;
        CommittedEvent::new(game, stored, event)
    }

    /// The event's number in the game, from 1.
    pub(in crate::app) fn seq(&self) -> u64 {
        self.stored.seq
    }

    /// Distinguishes the event from another one with the same number.
    pub(in crate::app) fn tag(&self) -> HashTag {
        tag_of(&self.stored.hash)
    }

    pub(super) fn publish(&self, viewer: Viewer, over: bool) -> Result<PublishedEvent, Failure> {
        let text = self.shared.clone().map_or_else(|| self.text(viewer, over), Ok)?;
        Ok(PublishedEvent { seq: self.stored.seq, tag: self.tag(), text })
    }

    fn text(&self, viewer: Viewer, over: bool) -> Result<Arc<RawValue>, Failure> {
        let EventBody { at, actor, event } = &self.body;
        let envelope = EventEnvelope {
            seq: self.stored.seq,
            at: *at,
            actor: (*actor).into(),
            hash: Hex(self.stored.hash),
            event: redact(event, viewer, over),
        };
        let text = to_raw_value(&envelope).map_err(|error| Failure::Defect(error.to_string()))?;
        Ok(text.into())
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
    pub(super) fn read(game: GameId, stored: &'a StoredEvent) -> Result<RawEvent<'a>, Failure> {
        serde_json::from_str(&stored.body).map_err(|error| unreadable(game, stored.seq, &error))
    }

    /// Parses the event. An unknown kind is an error.
    pub(super) fn event(&self, game: GameId) -> Result<Event, Failure> {
        serde_json::from_str(self.event.get()).map_err(|error| unreadable(game, self.seq, &error))
    }
}

impl StoredEvent {
    pub(in crate::app) fn event_of(&self, game: GameId) -> Result<Event, Failure> {
        RawEvent::read(game, self)?.event(game)
    }
}

fn unreadable(game: GameId, seq: u64, error: &serde_json::Error) -> Failure {
    Failure::UnreadableLog { game, seq, detail: error.to_string() }
}

/// A stored event as `viewer` may see it.
pub(super) fn publish(
    game: GameId,
    stored: StoredEvent,
    viewer: Viewer,
    over: bool,
) -> Result<PublishedEvent, Failure> {
    CommittedEvent::read(game, stored)?.publish(viewer, over)
}
