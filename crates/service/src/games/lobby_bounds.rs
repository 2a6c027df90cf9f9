//! Limits on changes to a lobby table. Reading a past state replays the whole record, so the record is
//! bounded. One account may not use up the whole bound.

use super::committed_event::event_of;
use super::{Games, LoadedGame};
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use estimation_engine::event::{Event, EventKind};
use estimation_engine::game::GameStatus;
use estimation_engine::seat::Place;
use estimation_engine::table::TableCommand;
use estimation_store::event_reads;

/// The record length from which joining, seating bots and handing over are refused. Leaving, starting and
/// cancelling always work; they add at most one event per seat.
pub(super) const EVENTS: u64 = 500;

/// How many times an account may join a table, and how many times it may commit to a seed there.
const CHANGES: u64 = 20;

impl Games {
    /// Refuses a lobby command that would make the record too long.
    ///
    /// # Errors
    /// [`Failure::TooManyChanges`].
    pub(super) async fn may_grow(
        &self,
        loaded: &LoadedGame,
        caller: &Caller,
        command: &TableCommand,
    ) -> Result<(), Failure> {
        let counted = match command {
            TableCommand::Join { .. } => Some(EventKind::PlayerJoined),
            TableCommand::CommitSeed { .. } => Some(EventKind::SeedCommitted),
            _ => None,
        };
        let grows = counted.is_some()
            || matches!(command, TableCommand::SeatBot { .. } | TableCommand::HandOver { .. });
        if !grows || loaded.game.status() != GameStatus::Lobby {
            return Ok(());
        }
        if loaded.version >= EVENTS {
            return Err(Failure::TooManyChanges { limit: EVENTS, by_table: true });
        }
        // No account has more events than the log, and few logs are that long.
        if let Some(kind) = counted
            && loaded.version > CHANGES
            && self.events_of(loaded, caller, kind).await? >= CHANGES
        {
            return Err(Failure::TooManyChanges { limit: CHANGES, by_table: false });
        }
        Ok(())
    }

    /// How many events of a kind an account has at the table.
    async fn events_of(&self, loaded: &LoadedGame, caller: &Caller, kind: EventKind) -> Result<u64, Failure> {
        let game = loaded.id;
        let log = self.database.read(move |conn| event_reads::after(conn, game, 0, EVENTS as i64)).await?;
        // The place that the account holds; the host's first one is 0.
        let mut own = None;
        let mut count = 0;
        for stored in &log {
            let (_, event) = event_of(game, stored)?;
            let place = match &event {
                Event::GameCreated(created) => {
                    own = (created.host == caller.account).then_some(Place::new(0));
                    continue;
                }
                Event::PlayerJoined { place, account, .. } if *account == caller.account => {
                    own = Some(*place);
                    *place
                }
                Event::SeedCommitted { place, .. } => *place,
                Event::PlayerLeft { place, .. } => {
                    own = own.filter(|own| own != place);
                    continue;
                }
                _ => continue,
            };
            count += u64::from(own == Some(place) && event.kind() == kind);
        }
        Ok(count)
    }
}
