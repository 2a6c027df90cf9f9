//! Advances matchmade tables. Bots take the empty seats once all waiting players agree, and a full table
//! starts. No player decides for the others.
//!
//! Each step is decided on a state and committed on that state alone. So any node may run it at any time, and
//! it happens once.

use std::sync::Arc;

use jiff::SignedDuration;

use super::Matchmaking;
use crate::base::failure::{Failure, milliseconds};
use crate::games::LoadedGame;
use crate::games::idempotency::Reservation;
use crate::games::skipped_games::Job;
use estimation_engine::client_seed::CommitmentStatus;
use estimation_engine::game::GameStatus;
use estimation_engine::player::{AccountId, BotLevel};
use estimation_engine::seat::{Place, Seat};
use estimation_engine::table::{TableCommand, decide_table};
use estimation_store::{GameId, matchmaking};

/// The level of bots that fill a table.
const LEVEL: BotLevel = BotLevel::Steady;

/// The most steps per run: enough to fill and start a table, despite concurrent nodes.
const STEPS: usize = 24;

/// How long a full table waits for a player who is not there before it frees the seat.
const RETURN_TIME: SignedDuration = SignedDuration::from_secs(60);

/// Tables handled per query.
const BATCH: i64 = 64;

impl Matchmaking {
    /// Advances every due matchmade table, and brings together who waits at different ones. Returns how many tables were
    /// due.
    pub async fn advance_matchmade_tables(self: &Arc<Matchmaking>) -> Result<usize, Failure> {
        let now = milliseconds(self.clock.now());
        let skip = self.skipped_games.paused(Job::Matchmaking);
        let due = self.database.read(move |conn| matchmaking::due(conn, now, &skip, BATCH)).await?;
        let mut failed = None;
        for &game in &due {
            // One failing table does not block the others.
            let result = self.advance_matchmade_table(game).await;
            failed = self.skipped_games.settle(Job::Matchmaking, game, result).err().or(failed);
        }
        failed = self.bring_together().await.err().or(failed);
        failed.map_or(Ok(due.len()), Err)
    }

    /// Advances a matchmade table as far as possible.
    pub(super) async fn advance_matchmade_table(self: &Arc<Matchmaking>, id: GameId) -> Result<(), Failure> {
        for _ in 0..STEPS {
            let loaded = self.games.present(id).await?;
            let table = &loaded.game.table;
            if loaded.game.status() != GameStatus::Lobby || loaded.game.is_opening() {
                return Ok(());
            }
            if let Some(place) = self.absent(&loaded) {
                let leave = TableCommand::Leave { place: place.index() as u8 };
                self.attempt(&loaded, &table.host, &leave, &Reservation::of_server(Vec::new())).await?;
                continue;
            }
            let empty: Option<Seat> =
                table.places.iter().find(|(_, sitter)| sitter.is_none()).map(|(seat, _)| seat);
            if empty.is_none() {
                // Players who were moved to another table, and still have a seat here.
                let moved = self.database.read(move |conn| matchmaking::moved_from(conn, id)).await?;
                for account in &moved {
                    self.finish_move(account, id).await?;
                }
                if !moved.is_empty() {
                    continue;
                }
            }
            let step = match empty {
                None if !loaded.game.void_seeds().is_empty() => return Ok(()),
                None => match self.unseen(&loaded).await? {
                    None => TableCommand::Start,
                    Some(place) if self.waited_for(&loaded) => {
                        TableCommand::Leave { place: place.index() as u8 }
                    }
                    Some(_) => return Ok(()),
                },
                Some(place) if self.bots_may_come(id).await? => {
                    TableCommand::SeatBot { place: place.index() as u8, level: LEVEL }
                }
                Some(_) => return Ok(()),
            };
            self.attempt(&loaded, &table.host, &step, &Reservation::of_server(Vec::new())).await?;
        }
        Err(Failure::GameBusy)
    }

    /// A player who loses the seat, after an opening of client seeds failed: one whose seed stayed closed, or one who
    /// has not committed again although the table is full.
    fn absent(&self, loaded: &LoadedGame) -> Option<Place> {
        let table = &loaded.game.table;
        let mut commitments = loaded.game.seed_commitments().into_iter();
        if let Some(missing) = commitments.find(|own| own.status == CommitmentStatus::Missing) {
            return Some(missing.place);
        }
        let full = table.places.values().all(Option::is_some);
        let seconds = SignedDuration::from_secs(table.opening_seconds.into());
        let patient = self.node_clock.now() < loaded.turn_clock.last.plus(seconds).timestamp();
        loaded.game.void_seeds().into_iter().find(|_| full && !patient && self.node_clock.is_trusted())
    }

    /// A player who was not there in the last seconds, at a table whose seeds must be opened: an app that sleeps would let
    /// the opening fail.
    async fn unseen(&self, loaded: &LoadedGame) -> Result<Option<Place>, Failure> {
        if loaded.game.closed_seeds().is_empty() {
            return Ok(None);
        }
        let places = || {
            let taken = loaded.game.table.places.iter();
            taken.filter_map(|(seat, sitter)| Some((seat.as_place(), sitter.as_ref()?.player.account()?)))
        };
        let there = self.games.online_among(places().map(|(_, account)| account)).await?;
        Ok(places().find(|(_, account)| !there.contains(account)).map(|(place, _)| place))
    }

    /// Whether a full table has waited long enough for a player to come back.
    fn waited_for(&self, loaded: &LoadedGame) -> bool {
        let until = loaded.turn_clock.last.plus(RETURN_TIME).timestamp();
        self.node_clock.is_trusted() && self.node_clock.now() >= until
    }

    async fn bots_may_come(&self, id: GameId) -> Result<bool, Failure> {
        let at = self.database.read(move |conn| matchmaking::bots_at(conn, id)).await?;
        Ok(self.node_clock.is_trusted() && at.is_some_and(|at| at.timestamp() <= self.clock.now()))
    }

    /// Cancels a matchmade table that no player can join any more; waiting players must queue again. The players leave,
    /// because a cancellation while others sit there would count for the host.
    pub(super) async fn cancel_matchmade_table(self: &Arc<Matchmaking>, id: GameId) -> Result<(), Failure> {
        for _ in 0..STEPS {
            let loaded = self.games.present(id).await?;
            let table = &loaded.game.table;
            let people = table.places.iter().filter_map(|(seat, sitter)| {
                Some((seat.as_place(), sitter.as_ref()?.player.account()?.clone()))
            });
            let last = people.max_by_key(|(_, account)| *account != table.host);
            let (GameStatus::Lobby, Some((place, account))) = (loaded.game.status(), last) else {
                return Ok(());
            };
            // Who leaves during an opening would have missed it.
            if loaded.game.is_opening() {
                return Ok(());
            }
            let leave = TableCommand::Leave { place: place.index() as u8 };
            self.attempt(&loaded, &account, &leave, &Reservation::of_server(Vec::new())).await?;
        }
        Err(Failure::GameBusy)
    }

    /// Executes a table command on this state alone. Returns whether it was committed.
    pub(super) async fn attempt(
        self: &Arc<Matchmaking>,
        loaded: &LoadedGame,
        account: &AccountId,
        command: &TableCommand,
        reservation: &Reservation,
    ) -> Result<bool, Failure> {
        let decided = decide_table(&loaded.game, account, command, &mut self.games.chance(loaded))?;
        self.games.change_on(loaded, decided, reservation).await
    }
}
