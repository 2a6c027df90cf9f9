//! A player's queue entry, and leaving the queue.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::Matchmaking;
use crate::auth::authority::{CallerAuthority, RequiredAuthority};
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::games::LoadedGame;
use crate::games::idempotency::Reservation;
use crate::rulesets::RulesetSummary;
use estimation_engine::command::Position;
use estimation_engine::game::GameStatus;
use estimation_engine::rejection::Rejection;
use estimation_engine::table::TableCommand;
use estimation_record::RecordTime;
use estimation_store::GameId;
use estimation_store::matchmaking::{self, WaitingRow};

/// Attempts at leaving while the table changes.
const TRIES: usize = 8;

estimation_engine::choices! {
    /// The state of a player in the matchmaking queue.
    pub enum QueueStatus {
        /// The player is not in the queue, or the game is over.
        Idle = "idle",
        /// The player has a seat; other seats are still empty.
        Waiting = "waiting",
        /// The table is full: the game has started, or is about to.
        Seated = "seated",
    }
}

/// The caller's entry in the matchmaking queue. All fields except `status` are null if the status is `idle`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = QueueEntry)]
pub struct Waiting {
    /// Whether the caller waits, or has been seated.
    pub status: QueueStatus,
    /// The id of the game in which the caller has a seat.
    pub game: Option<GameId>,
    /// The rules, with the options of the table.
    pub ruleset: Option<RulesetSummary>,
    /// The number of seats.
    #[schema(minimum = 2, maximum = 5, example = 4)]
    pub players: Option<u8>,
    /// The number of occupied seats.
    #[schema(minimum = 1, maximum = 5, example = 2)]
    pub taken: Option<u8>,
    /// When the caller joined the queue.
    pub since: Option<RecordTime>,
    /// When bots take the empty seats: the latest of the times that the players at the table agreed to. Null
    /// if bots never join, and once the table is full.
    pub deadline: Option<RecordTime>,
}

impl Waiting {
    const IDLE: Waiting = Waiting {
        status: QueueStatus::Idle,
        game: None,
        ruleset: None,
        players: None,
        taken: None,
        since: None,
        deadline: None,
    };
}

impl Matchmaking {
    pub async fn sought(&self, caller: &Caller) -> Result<Waiting, Failure> {
        // An account that left while it was moved still has a seat at its former table, which may be unreadable.
        let row = self.queue_row(caller).await?.filter(|row| row.left_game_id != Some(row.game_id));
        let Some(row) = row else { return Ok(Waiting::IDLE) };
        let loaded = self.games.present(row.game_id).await?;
        if loaded.game.is_over() || loaded.position_of(&caller.account).is_none() {
            return Ok(Waiting::IDLE);
        }
        self.waiting_at(&loaded, row.since).await
    }

    /// Leaves the queue, until the game has started.
    ///
    /// # Errors
    /// [`Rejection::NotInLobby`] once it has started.
    pub async fn stop_seeking(self: &Arc<Matchmaking>, caller: &Caller) -> Result<(), Failure> {
        if let Some(row) = self.queue_row(caller).await? {
            self.finish_moves_of(row).await?;
        }
        let by = caller.authority(RequiredAuthority::SignedIn, self.clock.now());
        let reservation = Reservation::free(by.clone());
        for _ in 0..TRIES {
            let (row, loaded) = match self.waiting_row(caller).await {
                Ok(Some(found)) => found,
                Ok(None) => return Ok(()),
                // At an unreadable table the seat stays, and the account may queue elsewhere.
                Err(failure) if failure.is_unreadable() => {
                    return match self.queue_row(caller).await? {
                        Some(row) => self.forget_waiting(row, Some(by)).await,
                        None => Ok(()),
                    };
                }
                Err(failure) => return Err(failure),
            };
            let position = loaded.position_of(&caller.account);
            match (loaded.game.status(), position) {
                (GameStatus::Lobby, Some(Position::Place(place))) => {
                    let leave = TableCommand::Leave { place: place.index() as u8 };
                    // Decided on a table that has not started: leaving a running game would forfeit it.
                    if self.attempt(&loaded, &caller.account, &leave, &reservation).await? {
                        return Ok(());
                    }
                }
                (status @ GameStatus::Playing, Some(_)) => {
                    return Err(Rejection::NotInLobby { status }.into());
                }
                _ => return self.forget_waiting(row, Some(by)).await,
            }
        }
        Err(Failure::GameBusy)
    }

    /// Frees the seat at the table from which an account was moved. The entry of an unreadable table is left to the job.
    pub(super) async fn finish_moves_of(self: &Arc<Matchmaking>, row: WaitingRow) -> Result<(), Failure> {
        let Some(from) = row.left_game_id else { return Ok(()) };
        match self.finish_move(&row.account_id, from).await {
            Err(failure) if failure.is_unreadable() && row.terms.is_none() => {
                self.forget_waiting(row, None).await
            }
            Err(failure) if failure.is_unreadable() => Ok(()),
            finished => finished,
        }
    }

    /// The authority is the server's for `None`.
    async fn forget_waiting(&self, row: WaitingRow, by: Option<CallerAuthority>) -> Result<(), Failure> {
        self.database.write(by, move |conn| Ok(matchmaking::forget(conn, &row)?)).await
    }

    /// The queue entry at a table.
    pub(super) async fn waiting_at(&self, table: &LoadedGame, since: RecordTime) -> Result<Waiting, Failure> {
        let players = table.game.rules().players;
        let taken = table.game.table.places.values().flatten().count() as u8;
        let waits = table.game.status() == GameStatus::Lobby && taken < players;
        let id = table.id;
        let deadline = match waits {
            true => self.database.read(move |conn| matchmaking::bots_at(conn, id)).await?,
            false => None,
        };
        Ok(Waiting {
            status: if waits { QueueStatus::Waiting } else { QueueStatus::Seated },
            game: Some(table.id),
            ruleset: Some(RulesetSummary::of(&table.game.table.ruleset)),
            players: Some(players),
            taken: Some(taken),
            since: Some(since),
            deadline,
        })
    }

    pub(super) async fn queue_row(&self, caller: &Caller) -> Result<Option<WaitingRow>, Failure> {
        let account = caller.account.clone();
        Ok(self.database.read(move |conn| matchmaking::find(conn, &account)).await?)
    }

    async fn waiting_row(
        &self,
        caller: &Caller,
    ) -> Result<Option<(WaitingRow, std::sync::Arc<LoadedGame>)>, Failure> {
        let Some(row) = self.queue_row(caller).await? else { return Ok(None) };
        let loaded = self.games.present(row.game_id).await?;
        Ok(Some((row, loaded)))
    }
}
