//! Events on their way out: read from the log as they were stored, shown as the caller may see them.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use uuid::Uuid;

use super::LoadedGame;
use crate::application::app::App;
use crate::application::caller::Caller;
use crate::application::failure::Failure;
use crate::application::record::RecordTime;
use crate::engine::chance::Hex;
use crate::engine::event::Event;
use crate::engine::redact::{Viewer, VisibleEvent, redact};
use crate::store::events::{self, StoredEvent};

/// An event as somebody may see it.
#[derive(Clone, Debug, Serialize)]
pub struct PublishedEvent {
    /// Its place in the game, from 1.
    pub seq: u64,
    /// When it happened.
    pub at: RecordTime,
    /// Who did it.
    pub actor: Box<RawValue>,
    /// The chain's hash at this event.
    pub hash: Hex<32>,
    /// What happened.
    pub event: Box<RawValue>,
}

/// A page of a game's log.
#[derive(Debug, Serialize)]
pub struct EventsPage {
    /// The events, in order.
    pub items: Vec<PublishedEvent>,
    /// What to give as `after` for the next page; none at the end of the log.
    pub next_cursor: Option<String>,
}

/// The stored text of an event, taken apart without being changed.
#[derive(Deserialize)]
pub(super) struct StoredBody<'a> {
    pub(super) at: RecordTime,
    #[serde(borrow)]
    actor: &'a RawValue,
    #[serde(borrow)]
    event: &'a RawValue,
    seq: u64,
}

impl<'a> StoredBody<'a> {
    /// Takes a stored event apart.
    pub(super) fn read(game: &str, stored: &'a StoredEvent) -> Result<StoredBody<'a>, Failure> {
        serde_json::from_str(&stored.body).map_err(|error| unreadable(game, stored.seq, &error))
    }

    /// The event itself. A kind this version does not know is an error: it guesses nothing.
    pub(super) fn event(&self, game: &str) -> Result<Event, Failure> {
        serde_json::from_str(self.event.get()).map_err(|error| unreadable(game, self.seq, &error))
    }
}

impl StoredEvent {
    /// What a stored event of a game says.
    pub(in crate::application) fn event_of(&self, game: &str) -> Result<Event, Failure> {
        StoredBody::read(game, self)?.event(game)
    }
}

fn unreadable(game: &str, seq: u64, error: &serde_json::Error) -> Failure {
    Failure::UnreadableLog { game: game.to_owned(), seq, detail: error.to_string() }
}

/// A stored event as `viewer` may see it.
pub(super) fn publish(
    game: &str,
    stored: &StoredEvent,
    viewer: Viewer,
    over: bool,
) -> Result<PublishedEvent, Failure> {
    let body = StoredBody::read(game, stored)?;
    let event = if over {
        body.event.to_owned()
    } else {
        let event = body.event(game)?;
        match redact(&event, viewer, over) {
            // There is nothing to hide in it.
            VisibleEvent::Whole(_) => body.event.to_owned(),
            dealt => to_raw_value(&dealt).map_err(|error| Failure::Defect(error.to_string()))?,
        }
    };
    Ok(PublishedEvent {
        seq: stored.seq,
        at: body.at,
        actor: body.actor.to_owned(),
        hash: Hex(stored.hash),
        event,
    })
}

impl App {
    /// The log of a game after a sequence number, as the caller may see it.
    pub async fn events(
        &self,
        caller: &Caller,
        id: Uuid,
        after: u64,
        limit: usize,
    ) -> Result<EventsPage, Failure> {
        let loaded = self.present(id).await?;
        loaded.admit(&caller.account)?;
        let items = self.events_after(&loaded, loaded.viewer(&caller.account), after, limit).await?;
        let next_cursor =
            items.last().filter(|last| last.seq < loaded.version).map(|last| last.seq.to_string());
        Ok(EventsPage { items, next_cursor })
    }

    /// What this node has committed lately of a game, as the caller may see it, for a stream: none where the
    /// log has to be read.
    pub(in crate::application) fn recent_events(
        &self,
        caller: &Caller,
        id: Uuid,
        after: u64,
    ) -> Result<Option<(Vec<PublishedEvent>, bool)>, Failure> {
        let Some(recent) = self.hub.recent(&id, after) else { return Ok(None) };
        // The state they led to, or a later one: both are committed.
        let newest = recent.last().map_or(0, |event| event.seq);
        let Some(loaded) = self.cache.get(&id).filter(|loaded| loaded.version >= newest) else {
            return Ok(None);
        };
        loaded.admit(&caller.account)?;
        let (viewer, over) = (loaded.viewer(&caller.account), loaded.game.is_over());
        let game = id.to_string();
        let events: Result<Vec<_>, _> =
            recent.iter().map(|event| publish(&game, event, viewer, over)).collect();
        Ok(Some((events?, over && newest >= loaded.version)))
    }

    /// The events of a loaded game after a sequence number, up to the version that was loaded.
    pub(in crate::application) async fn events_after(
        &self,
        loaded: &LoadedGame,
        viewer: Viewer,
        after: u64,
        limit: usize,
    ) -> Result<Vec<PublishedEvent>, Failure> {
        if after >= loaded.version {
            return Ok(Vec::new());
        }
        let game = loaded.id.to_string();
        let id = game.clone();
        let stored = self.database.read(move |conn| events::after(conn, &id, after, limit as i64)).await?;
        let (over, version) = (loaded.game.is_over(), loaded.version);
        stored
            .iter()
            .take_while(|event| event.seq <= version)
            .map(|event| publish(&game, event, viewer, over))
            .collect()
    }
}
