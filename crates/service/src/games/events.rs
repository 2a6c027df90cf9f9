//! Pages of a game's log, and the events for streams.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::committed_event::publish;
pub use super::published_event::{GameMessage, PublishedEvent};
use super::{Games, LoadedGame, LogPosition};
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use estimation_engine::redact::Viewer;
use estimation_store::event_reads::{self, StoredEvent};
use estimation_store::{Connection, GameId, StoreError};

/// A page of a game's events.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EventPage)]
pub struct EventsPage {
    /// The events in order, as the caller may see them.
    #[schema(value_type = Vec<PublishedEvent>, max_items = 100)]
    pub items: Vec<Arc<PublishedEvent>>,
    /// The `after` of the next page; null at the end of the log.
    #[schema(min_length = 1, max_length = 512)]
    pub next_cursor: Option<String>,
}

impl Games {
    /// The log of a game after a position, as the caller may see it.
    ///
    /// # Errors
    /// [`Failure::LogReplaced`] if the log has no event, or another one, at a tagged `after`.
    pub async fn events(
        &self,
        caller: &Caller,
        id: GameId,
        after: LogPosition,
        limit: usize,
    ) -> Result<EventsPage, Failure> {
        let loaded = self.present(id).await?;
        self.admit(&loaded, &caller.account).await?;
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

    /// The events of a loaded game after a position, up to the loaded version. `None` if the log ends before
    /// the position, or has another event there.
    pub(crate) async fn events_after(
        &self,
        loaded: &LoadedGame,
        viewer: Viewer,
        after: LogPosition,
        limit: usize,
        use_of_events: Use,
    ) -> Result<Option<Vec<Arc<PublishedEvent>>>, Failure> {
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

/// Why a client reads events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// To display them.
    Show,
    /// To acknowledge the client's own command; the events must be durable.
    Acknowledge,
}

/// Reads the events after a position, and the event at it if its hash must be compared.
fn reading(
    loaded: &LoadedGame,
    after: LogPosition,
    limit: usize,
) -> (impl FnOnce(&mut Connection) -> Result<Vec<StoredEvent>, StoreError> + Send + use<>, ReadFrom) {
    let compared = u64::from(after.tag.is_some() && after.seq > 0);
    let (id, first, limit) = (loaded.id, after.seq - compared, limit as u64 + compared);
    (
        move |conn: &mut Connection| event_reads::after(conn, id, first, limit as i64),
        ReadFrom { after, compared: compared > 0 },
    )
}

/// The start of a read.
struct ReadFrom {
    after: LogPosition,
    /// Whether the event at the position was read as well.
    compared: bool,
}

impl ReadFrom {
    /// Publishes the events up to the state's version. `None` if the log has another event at the position.
    fn publish(
        self,
        loaded: &LoadedGame,
        stored: Vec<StoredEvent>,
        viewer: Viewer,
    ) -> Result<Option<Vec<Arc<PublishedEvent>>>, Failure> {
        let mut stored = stored.into_iter();
        if self.compared && !stored.next().is_some_and(|event| self.after.matches(event.seq, &event.hash)) {
            return Ok(None);
        }
        let (game, over) = (loaded.id, loaded.game.is_over());
        let present = stored.take_while(|event| event.seq <= loaded.version);
        present.map(|event| publish(game, &event, viewer, over)).collect::<Result<_, _>>().map(Some)
    }
}
