//! Limits on changes to a lobby table. Reading a past state replays the whole record, so the record is
//! bounded. One account may not use up the whole bound.

use super::committed_event::RawEvent;
use super::{Games, LoadedGame};
use crate::app::failure::Failure;
use crate::auth::caller::Caller;
use crate::engine::event::Event;
use crate::engine::game::GameStatus;
use crate::engine::table::TableCommand;
use crate::store::event_reads;

/// The record length from which joining, seating bots and handing over are refused. Leaving, starting and
/// cancelling always work; they add at most one event per seat.
const EVENTS: u64 = 500;

/// How many times an account may join a table, or replace its client seed there.
const JOINS: u64 = 20;

impl Games {
    /// Refuses a lobby command that would make the record too long.
    ///
    /// # Errors
    /// [`Failure::TableChangedTooOften`] or [`Failure::SatDownTooOften`].
    pub(super) async fn may_grow(
        &self,
        loaded: &LoadedGame,
        caller: &Caller,
        command: &TableCommand,
    ) -> Result<(), Failure> {
        let sits_down = matches!(command, TableCommand::Join { .. });
        let grows =
            sits_down || matches!(command, TableCommand::SeatBot { .. } | TableCommand::HandOver { .. });
        if !grows || loaded.game.status() != GameStatus::Lobby {
            return Ok(());
        }
        if loaded.version >= EVENTS {
            return Err(Failure::TableChangedTooOften { limit: EVENTS });
        }
        // No account has more joins than the log has events, and few logs are that long.
        if sits_down && loaded.version > JOINS && self.joins_of(loaded, caller).await? >= JOINS {
            return Err(Failure::SatDownTooOften { limit: JOINS });
        }
        Ok(())
    }

    /// How many times an account has joined the table or replaced its client seed.
    async fn joins_of(&self, loaded: &LoadedGame, caller: &Caller) -> Result<u64, Failure> {
        let game = loaded.id;
        let log = self.database.read(move |conn| event_reads::after(conn, game, 0, EVENTS as i64)).await?;
        let mut joins = 0;
        for stored in &log {
            if let Event::PlayerJoined { account, .. } = RawEvent::read(game, stored)?.event(game)?
                && account == caller.account
            {
                joins += 1;
            }
        }
        Ok(joins)
    }
}
