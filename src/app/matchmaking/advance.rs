//! Advancing matchmade tables: bots take the empty seats when all who wait agree, and a full table starts. No
//! player decides for the others.
//!
//! Every step is decided on a state and committed on that state alone, so any node may take it at any time: it
//! happens once.

use std::sync::Arc;

use uuid::Uuid;

use super::Matchmaking;
use crate::app::failure::{Failure, milliseconds, stored_id};
use crate::app::games::LoadedGame;
use crate::app::skipped_games::Job;
use crate::engine::game::Status;
use crate::engine::player::{AccountId, BotLevel};
use crate::engine::seat::Seat;
use crate::engine::table::{TableCommand, decide_table};
use crate::store::matchmaking;

/// How well the bots play that fill a table up.
const LEVEL: BotLevel = BotLevel::Steady;

/// The most steps a table takes from one person to the start, with some that others were quicker to take.
const STEPS: usize = 24;

/// How many tables are looked at in one go.
const AT_ONCE: i64 = 64;

impl Matchmaking {
    /// Has every table of strangers go on that is due. Returns how many there were.
    pub async fn advance_matchmade_tables(self: &Arc<Matchmaking>) -> Result<usize, Failure> {
        let now = milliseconds(self.clock.now());
        let skip = self.skipped_games.paused(Job::Matchmaking);
        let due = self.database.read(move |conn| matchmaking::due(conn, now, &skip, AT_ONCE)).await?;
        let mut failed = None;
        for game in &due {
            // One that cannot go on does not keep the others.
            match self.advance_or_forget(game).await {
                Ok(()) => self.skipped_games.handled(Job::Matchmaking, game),
                Err(failure) => {
                    failed = self.skipped_games.skip(Job::Matchmaking, game, failure).err().or(failed)
                }
            }
        }
        failed.map_or(Ok(due.len()), Err)
    }

    /// Has a table go on. One that a node of an earlier version has started or ended, which knows nothing of
    /// who waits there, is due no more.
    async fn advance_or_forget(self: &Arc<Matchmaking>, game: &str) -> Result<(), Failure> {
        let id = stored_id(game)?;
        self.advance_matchmade_table(id).await?;
        if self.games.present(id).await?.game.status() == Status::Lobby {
            return Ok(());
        }
        let game = game.to_owned();
        Ok(self.database.write(move |conn| matchmaking::begin(conn, &game)).await?)
    }

    /// Has a table of strangers go on as far as it can.
    pub(super) async fn advance_matchmade_table(self: &Arc<Matchmaking>, id: Uuid) -> Result<(), Failure> {
        for _ in 0..STEPS {
            let loaded = self.games.present(id).await?;
            let table = &loaded.game.table;
            if loaded.game.status() != Status::Lobby {
                return Ok(());
            }
            let empty: Option<Seat> =
                table.places.iter().find(|(_, sitter)| sitter.is_none()).map(|(seat, _)| seat);
            let step = match empty {
                None => TableCommand::Start,
                Some(place) if self.bots_may_come(id).await? => {
                    TableCommand::SeatBot { place: place.index() as u8, level: LEVEL }
                }
                Some(_) => return Ok(()),
            };
            self.attempt(&loaded, &table.host, &step).await?;
        }
        Err(Failure::Busy)
    }

    async fn bots_may_come(&self, id: Uuid) -> Result<bool, Failure> {
        let id = id.to_string();
        let at = self.database.read(move |conn| matchmaking::bots_at(conn, &id)).await?;
        Ok(self.node_clock.is_trusted() && at.is_some_and(|at| at <= milliseconds(self.clock.now())))
    }

    /// Calls off a table of strangers at which nobody can sit down any more: those who wait there ask again.
    pub(super) async fn cancel_matchmade_table(self: &Arc<Matchmaking>, id: Uuid) -> Result<(), Failure> {
        let loaded = self.games.present(id).await?;
        if loaded.game.status() == Status::Lobby {
            self.attempt(&loaded, &loaded.game.table.host, &TableCommand::Cancel).await?;
        }
        Ok(())
    }

    /// Carries out a command about the table on a state, and on no later one. Says whether it did.
    pub(super) async fn attempt(
        self: &Arc<Matchmaking>,
        loaded: &LoadedGame,
        account: &AccountId,
        command: &TableCommand,
    ) -> Result<bool, Failure> {
        let decided = decide_table(&loaded.game, account, command, &mut self.games.chance(loaded))?;
        self.games.change_on(loaded, decided).await
    }
}
