//! Events for clients: read from the log as stored, published as a viewer may see them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::log_position::{HashTag, tag_of};
use super::published_event::PublishedEvent;
use crate::app::failure::Failure;
use crate::engine::chance::Hex;
use crate::engine::event::Event;
use crate::engine::redact::{Viewer, VisibleEvent, redact};
use crate::store::GameId;
use crate::store::event_reads::StoredEvent;
use estimation_record::RecordTime;

/// The published JSON form of an event.
#[derive(Serialize)]
struct PublicEvent<'a, E> {
    seq: u64,
    at: RecordTime,
    actor: &'a RawValue,
    hash: Hex<32>,
    event: E,
}

/// An event committed by this node, ready to publish to many clients.
pub(in crate::app) struct CommittedEvent {
    game: GameId,
    stored: StoredEvent,
    event: Event,
    /// The text for viewers from whom nothing is hidden.
    whole: Arc<RawValue>,
}

impl CommittedEvent {
    pub(super) fn new(game: GameId, stored: StoredEvent, event: Event) -> Result<CommittedEvent, Failure> {
        let body = RawEvent::read(game, &stored)?;
        let whole = body.json(&stored, body.event)?;
        Ok(CommittedEvent { game, stored, event, whole })
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
        let text = match redact(&self.event, viewer, over) {
            VisibleEvent::Whole(_) => Arc::clone(&self.whole),
            dealt => RawEvent::read(self.game, &self.stored)?.json(&self.stored, dealt)?,
        };
        Ok(PublishedEvent { seq: self.stored.seq, tag: self.tag(), text })
    }
}

/// The stored text of an event, split without changes.
#[derive(Deserialize)]
pub(super) struct RawEvent<'a> {
    pub(super) at: RecordTime,
    #[serde(borrow)]
    actor: &'a RawValue,
    #[serde(borrow)]
    event: &'a RawValue,
    seq: u64,
}

impl<'a> RawEvent<'a> {
    pub(super) fn read(game: GameId, stored: &'a StoredEvent) -> Result<RawEvent<'a>, Failure> {
        serde_json::from_str(&stored.body).map_err(|error| unreadable(game, stored.seq, &error))
    }

    /// The published JSON, with `event` as the viewer may see it.
    fn json(&self, stored: &StoredEvent, event: impl Serialize) -> Result<Arc<RawValue>, Failure> {
        let public =
            PublicEvent { seq: stored.seq, at: self.at, actor: self.actor, hash: Hex(stored.hash), event };
        let text = to_raw_value(&public).map_err(|error| Failure::Defect(error.to_string()))?;
        Ok(text.into())
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

/// A stored event as `viewer` may see it. Once the game is over, the stored text is published unchanged, even
/// for an unknown kind of event.
pub(super) fn publish(
    game: GameId,
    stored: StoredEvent,
    viewer: Viewer,
    over: bool,
) -> Result<PublishedEvent, Failure> {
    if !over {
        return CommittedEvent::read(game, stored)?.publish(viewer, over);
    }
    let body = RawEvent::read(game, &stored)?;
    Ok(PublishedEvent { seq: stored.seq, tag: tag_of(&stored.hash), text: body.json(&stored, body.event)? })
}
