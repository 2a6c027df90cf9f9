//! Events on their way out: read from the log as they were stored, shown as the caller may see them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use uuid::Uuid;

use super::{Games, HashTag, LoadedGame, LogPosition, tag_of};
use crate::app::failure::Failure;
use crate::auth::caller::Caller;
use crate::engine::chance::Hex;
use crate::engine::event::Event;
use crate::engine::redact::{Viewer, VisibleEvent, redact};
use crate::store::events::{self, StoredEvent};
use crate::store::{Connection, StoreError};
use estimation_record::RecordTime;

/// An event as somebody may see it, written out.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct PublishedEvent {
    /// Its place in the game, from 1.
    #[serde(skip)]
    pub seq: u64,
    /// Enough of its hash to tell it from another event of that number.
    #[serde(skip)]
    pub tag: HashTag,
    /// All there is to see of it, as JSON. Those who see the same share it.
    pub text: Arc<RawValue>,
}

impl PublishedEvent {
    /// Where it stands in the log.
    pub fn position(&self) -> LogPosition {
        LogPosition { seq: self.seq, tag: Some(self.tag) }
    }
}

/// What is written of an event.
#[derive(Serialize)]
struct PublicEvent<'a, E> {
    seq: u64,
    at: RecordTime,
    actor: &'a RawValue,
    hash: Hex<32>,
    event: E,
}

/// An event that this node has committed, ready to be shown to many.
pub(in crate::app) struct CommittedEvent {
    stored: StoredEvent,
    event: Event,
    /// What is shown to those from whom nothing is hidden.
    whole: Arc<RawValue>,
}

impl CommittedEvent {
    /// An event and how it is stored.
    pub(super) fn new(game: &str, stored: StoredEvent, event: Event) -> Result<CommittedEvent, Failure> {
        let body = RawEvent::read(game, &stored)?;
        let whole = body.shown(&stored, body.event)?;
        Ok(CommittedEvent { stored, event, whole })
    }

    /// A stored event.
    pub(super) fn read(game: &str, stored: StoredEvent) -> Result<CommittedEvent, Failure> {
        let event = stored.event_of(game)?;
        CommittedEvent::new(game, stored, event)
    }

    /// Its place in the game, from 1.
    pub(in crate::app) fn seq(&self) -> u64 {
        self.stored.seq
    }

    /// Enough of its hash to tell it from another event of that number.
    pub(in crate::app) fn tag(&self) -> HashTag {
        tag_of(&self.stored.hash)
    }

    /// The event as `viewer` may see it.
    pub(super) fn publish(&self, game: &str, viewer: Viewer, over: bool) -> Result<PublishedEvent, Failure> {
        let text = match redact(&self.event, viewer, over) {
            VisibleEvent::Whole(_) => Arc::clone(&self.whole),
            dealt => RawEvent::read(game, &self.stored)?.shown(&self.stored, dealt)?,
        };
        Ok(PublishedEvent { seq: self.stored.seq, tag: self.tag(), text })
    }
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
pub(super) struct RawEvent<'a> {
    pub(super) at: RecordTime,
    #[serde(borrow)]
    actor: &'a RawValue,
    #[serde(borrow)]
    event: &'a RawValue,
    seq: u64,
}

impl<'a> RawEvent<'a> {
    /// Takes a stored event apart.
    pub(super) fn read(game: &str, stored: &'a StoredEvent) -> Result<RawEvent<'a>, Failure> {
        serde_json::from_str(&stored.body).map_err(|error| unreadable(game, stored.seq, &error))
    }

    /// What is written of the event for somebody who may see so much of it.
    fn shown(&self, stored: &StoredEvent, event: impl Serialize) -> Result<Arc<RawValue>, Failure> {
        let shown =
            PublicEvent { seq: stored.seq, at: self.at, actor: self.actor, hash: Hex(stored.hash), event };
        let text = to_raw_value(&shown).map_err(|error| Failure::Defect(error.to_string()))?;
        Ok(text.into())
    }

    /// The event itself. A kind this version does not know is an error: it guesses nothing.
    pub(super) fn event(&self, game: &str) -> Result<Event, Failure> {
        serde_json::from_str(self.event.get()).map_err(|error| unreadable(game, self.seq, &error))
    }
}

impl StoredEvent {
    /// What a stored event of a game says.
    pub(in crate::app) fn event_of(&self, game: &str) -> Result<Event, Failure> {
        RawEvent::read(game, self)?.event(game)
    }
}

fn unreadable(game: &str, seq: u64, error: &serde_json::Error) -> Failure {
    Failure::UnreadableLog { game: game.to_owned(), seq, detail: error.to_string() }
}

/// A stored event as `viewer` may see it. Once the game is over it is shown as it is stored, also where this
/// version does not know its kind.
fn publish(game: &str, stored: StoredEvent, viewer: Viewer, over: bool) -> Result<PublishedEvent, Failure> {
    if !over {
        return CommittedEvent::read(game, stored)?.publish(game, viewer, over);
    }
    let body = RawEvent::read(game, &stored)?;
    Ok(PublishedEvent { seq: stored.seq, tag: tag_of(&stored.hash), text: body.shown(&stored, body.event)? })
}

impl Games {
    /// The log of a game after a position, as the caller may see it.
    ///
    /// # Errors
    /// As looking at the game; [`Failure::LogReplaced`] where `after` has a tag and the log has another event
    /// there, or none.
    pub async fn events(
        &self,
        caller: &Caller,
        id: Uuid,
        after: LogPosition,
        limit: usize,
    ) -> Result<EventsPage, Failure> {
        let loaded = self.present(id).await?;
        loaded.admit(&caller.account)?;
        let items = match self
            .events_after(&loaded, loaded.viewer(&caller.account), after, limit, Use::Show)
            .await?
        {
            Some(items) => items,
            None if after.tag.is_some() => {
                return Err(Failure::LogReplaced { current_version: loaded.version });
            }
            None => Vec::new(),
        };
        let next_cursor =
            items.last().filter(|last| last.seq < loaded.version).map(|last| last.seq.to_string());
        Ok(EventsPage { items, next_cursor })
    }

    /// What this node has committed lately of a game, as the caller may see it, for a stream: none where the
    /// log has to be read.
    pub(in crate::app) fn recent_events(
        &self,
        caller: &Caller,
        id: Uuid,
        after: LogPosition,
    ) -> Result<Option<(Vec<PublishedEvent>, bool)>, Failure> {
        let Some(recent) = self.hub.recent(&id, after) else { return Ok(None) };
        // The state they led to, or a later one: both are committed.
        let newest = recent.last().map_or(0, |fact| fact.seq());
        let Some(loaded) = self.cache.get(&id).filter(|loaded| loaded.version >= newest) else {
            return Ok(None);
        };
        loaded.admit(&caller.account)?;
        let (viewer, over) = (loaded.viewer(&caller.account), loaded.game.is_over());
        let game = id.to_string();
        let events: Result<Vec<_>, _> = recent.iter().map(|fact| fact.publish(&game, viewer, over)).collect();
        Ok(Some((events?, over && newest >= loaded.version)))
    }

    /// The events of a loaded game after a position, up to the version that was loaded; none where the log does
    /// not have that position: it ends before it, or has another event there.
    pub(in crate::app) async fn events_after(
        &self,
        loaded: &LoadedGame,
        viewer: Viewer,
        after: LogPosition,
        limit: usize,
        use_of_events: Use,
    ) -> Result<Option<Vec<PublishedEvent>>, Failure> {
        if after.seq >= loaded.version {
            return Ok(after.is_end_of(loaded).then(Vec::new));
        }
        let (read, from) = reading(loaded, after, limit);
        let stored = match use_of_events {
            Use::Show => self.database.read(read).await?,
            Use::Acknowledge => self.database.read_confirmed(read).await?,
        };
        from.publish(loaded, stored, viewer)
    }
}

/// What a client takes events for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) enum Use {
    /// For what has happened.
    Show,
    /// For the acknowledgement of its own command: they have to be confirmed.
    Acknowledge,
}

/// Reads the events after a position, and the event there as well where its hash is to be compared.
fn reading(
    loaded: &LoadedGame,
    after: LogPosition,
    limit: usize,
) -> (impl FnOnce(&mut Connection) -> Result<Vec<StoredEvent>, StoreError> + Send + use<>, ReadFrom) {
    let compared = u64::from(after.tag.is_some() && after.seq > 0);
    let (id, first, limit) = (loaded.id.to_string(), after.seq - compared, limit as u64 + compared);
    (
        move |conn: &mut Connection| events::after(conn, &id, first, limit as i64),
        ReadFrom { after, compared: compared > 0 },
    )
}

/// Where a reading of events begins.
struct ReadFrom {
    after: LogPosition,
    /// Whether the event at the position was read as well.
    compared: bool,
}

impl ReadFrom {
    /// The events up to the version of a state, as they may be seen; none where the log has another event at the
    /// position.
    fn publish(
        self,
        loaded: &LoadedGame,
        stored: Vec<StoredEvent>,
        viewer: Viewer,
    ) -> Result<Option<Vec<PublishedEvent>>, Failure> {
        let mut stored = stored.into_iter();
        if self.compared && !stored.next().is_some_and(|event| self.after.matches(event.seq, &event.hash)) {
            return Ok(None);
        }
        let (game, over) = (loaded.id.to_string(), loaded.game.is_over());
        let present = stored.take_while(|event| event.seq <= loaded.version);
        present.map(|event| publish(&game, event, viewer, over)).collect::<Result<_, _>>().map(Some)
    }
}
