//! How often a table may change before its start. Its record is read from the beginning for every look at a past
//! state, so it may not grow without bound; and one account may not use up what there is for all.

use super::committed_event::RawEvent;
use super::{Games, LoadedGame};
use crate::app::failure::Failure;
use crate::auth::caller::Caller;
use crate::engine::event::Event;
use crate::engine::game::Status;
use crate::engine::table::TableCommand;
use crate::store::event_reads;

/// How many events a table has at most when a player sits down, seats a bot or hands the table over. Standing up,
/// starting and calling off are always possible, and add no more than there are seats.
const EVENTS: u64 = 500;

/// How often an account may sit down at a table, or replace its client seed there.
const JOINS: u64 = 20;

impl Games {
    /// Refuses a command about a table in the lobby by which its record would grow too long.
    ///
    /// # Errors
    /// [`Failure::TableChangedTooOften`], [`Failure::SatDownTooOften`], and what reading met.
    pub(super) async fn may_grow(
        &self,
        loaded: &LoadedGame,
        caller: &Caller,
        command: &TableCommand,
    ) -> Result<(), Failure> {
        let sits_down = matches!(command, TableCommand::Join { .. });
        let grows =
            sits_down || matches!(command, TableCommand::SeatBot { .. } | TableCommand::HandOver { .. });
        if !grows || loaded.game.status() != Status::Lobby {
            return Ok(());
        }
        if loaded.version >= EVENTS {
            return Err(Failure::TableChangedTooOften { limit: EVENTS });
        }
        // Nobody has done anything more often than there are events; few tables come so far.
        if sits_down && loaded.version > JOINS && self.joins_of(loaded, caller).await? >= JOINS {
            return Err(Failure::SatDownTooOften { limit: JOINS });
        }
        Ok(())
    }

    /// How often an account has sat down at a table or replaced its client seed there.
    async fn joins_of(&self, loaded: &LoadedGame, caller: &Caller) -> Result<u64, Failure> {
        let game = loaded.id.to_string();
        let asked = game.clone();
        let log = self.database.read(move |conn| event_reads::after(conn, &asked, 0, EVENTS as i64)).await?;
        let mut joins = 0;
        for stored in &log {
            if let Event::PlayerJoined { account, .. } = RawEvent::read(&game, stored)?.event(&game)?
                && account == caller.account
            {
                joins += 1;
            }
        }
        Ok(joins)
    }
}
