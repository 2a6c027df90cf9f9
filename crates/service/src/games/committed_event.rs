//! Events for clients: read from the log as stored, published as a viewer may see them.

use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;

use super::log_position::{HashTag, tag_of};
use super::published_event::PublishedEvent;
use super::viewer_text::event_text;
use crate::base::failure::Failure;
use estimation_engine::command::Actor;
use estimation_engine::event::{Event, EventKind};
use estimation_engine::hex::Hex;
use estimation_engine::redact::Viewer;
use estimation_record::{Envelope, RecordTime};
use estimation_store::GameId;
use estimation_store::event_reads::StoredEvent;

/// An event committed by this node, ready to publish to many clients.
pub(crate) struct CommittedEvent {
    seq: u64,
    hash: [u8; 32],
    at: RecordTime,
    actor: Actor,
    event: Event,
    /// The event as all viewers see it, from the first time it is published; empty for a deal, which hides cards.
    shared: OnceLock<Arc<PublishedEvent>>,
}

impl CommittedEvent {
    pub(super) fn new(
        seq: u64,
        hash: [u8; 32],
        at: RecordTime,
        actor: Actor,
        event: Event,
    ) -> CommittedEvent {
        CommittedEvent { seq, hash, at, actor, event, shared: OnceLock::new() }
    }

    pub(super) fn read(game: GameId, stored: &StoredEvent) -> Result<CommittedEvent, Failure> {
        let envelope = envelope_of(game, stored)?;
        let event = read_event(game, &envelope)?;
        Ok(CommittedEvent::new(stored.seq, stored.hash, envelope.at, envelope.actor, event))
    }

    /// The event's number in the game, from 1.
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    pub(crate) fn kind(&self) -> EventKind {
        self.event.kind()
    }

    /// Distinguishes the event from another one with the same number.
    pub(crate) fn tag(&self) -> HashTag {
        tag_of(&self.hash)
    }

    pub(crate) fn publish(&self, viewer: Viewer, over: bool) -> Result<Arc<PublishedEvent>, Failure> {
        if self.event.kind() == EventKind::RoundDealt {
            return self.seen_by(viewer, over);
        }
        if let Some(shared) = self.shared.get() {
            return Ok(Arc::clone(shared));
        }
        let shared = self.seen_by(Viewer::Stranger, false)?;
        Ok(Arc::clone(self.shared.get_or_init(|| shared)))
    }

    fn seen_by(&self, viewer: Viewer, over: bool) -> Result<Arc<PublishedEvent>, Failure> {
        let (seq, at, actor, hash) = (self.seq, self.at, self.actor.into(), Hex(self.hash));
        let published = event_text(&self.event, viewer, over)
            .and_then(|event| PublishedEvent::new(seq, at, actor, hash, (self.event.kind(), event)));
        Ok(Arc::new(published.map_err(|error| Failure::Defect(error.to_string()))?))
    }
}

/// The envelope of a stored event, with the event as it was stored.
pub(super) fn envelope_of(game: GameId, stored: &StoredEvent) -> Result<Envelope<Actor, &RawValue>, Failure> {
    serde_json::from_str(&stored.body).map_err(|error| unreadable(game, stored.seq, &error))
}

/// Parses the event of an envelope. An unknown kind is an error.
pub(super) fn read_event(game: GameId, envelope: &Envelope<Actor, &RawValue>) -> Result<Event, Failure> {
    serde_json::from_str(envelope.event.get()).map_err(|error| unreadable(game, envelope.seq, &error))
}

/// The event, its actor and its time.
pub(crate) fn acted_event_of(
    game: GameId,
    stored: &StoredEvent,
) -> Result<(RecordTime, Actor, Event), Failure> {
    let envelope = envelope_of(game, stored)?;
    Ok((envelope.at, envelope.actor, read_event(game, &envelope)?))
}

pub(crate) fn event_of(game: GameId, stored: &StoredEvent) -> Result<(RecordTime, Event), Failure> {
    acted_event_of(game, stored).map(|(at, _, event)| (at, event))
}

fn unreadable(game: GameId, seq: u64, error: &serde_json::Error) -> Failure {
    Failure::UnreadableLog { game, seq, detail: error.to_string() }
}

/// A stored event as `viewer` may see it.
pub(super) fn publish(
    game: GameId,
    stored: &StoredEvent,
    viewer: Viewer,
    over: bool,
) -> Result<Arc<PublishedEvent>, Failure> {
    CommittedEvent::read(game, stored)?.publish(viewer, over)
}
