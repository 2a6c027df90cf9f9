//! Brings players together who wait for the same game at different tables.
//!
//! A player is moved in two steps: joining the other table, which takes the queue entry along, and leaving the former one.
//! The queue entry keeps the former table until the second step, so any node can finish a move. No table begins while a
//! moved player has a seat there.

use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::Matchmaking;
use crate::auth::caller::Caller;
use crate::auth::tokens::Role;
use crate::base::failure::Failure;
use crate::games::failure::GameFailure;
use crate::games::idempotency::Reservation;
use crate::games::skipped_games::Job;
use crate::games::{LoadedGame, Request};
use estimation_engine::client_seed::PlayerSeed;
use estimation_engine::command::Position;
use estimation_engine::game::{GameStatus, Sitter};
use estimation_engine::player::AccountId;
use estimation_engine::table::TableCommand;
use estimation_store::matchmaking::{self, finish_move, unfinished_moves};
use estimation_store::{Effect, GameId, StoreError};

/// Attempts at freeing one seat.
const TRIES: usize = 8;

/// Whether players still come to a table.
fn has_room(loaded: &LoadedGame) -> bool {
    let places = &loaded.game.table.places;
    loaded.game.status() == GameStatus::Lobby && places.values().any(Option::is_none)
}

impl Matchmaking {
    /// Finishes moves that a stopped node began, and moves players together.
    pub(super) async fn bring_together(self: &Arc<Matchmaking>) -> Result<(), GameFailure> {
        for (account, from) in self.database.read(unfinished_moves).await? {
            let finished = self.finish_move(&account, from).await;
            self.skipped_games.settle(Job::Matchmaking, from, finished)?;
        }
        let skip = self.skipped_games.paused(Job::Matchmaking);
        for tables in self.database.read(move |conn| matchmaking::apart(conn, &skip)).await? {
            // No player of this node sits down at these tables meanwhile.
            let _alone = self.seating.lock().await;
            self.merge(tables).await?;
        }
        Ok(())
    }

    /// Moves players of later tables to earlier ones, as far as these have room. One failing table does not block the
    /// others.
    async fn merge(self: &Arc<Matchmaking>, tables: Vec<GameId>) -> Result<(), GameFailure> {
        let mut waiting = Vec::with_capacity(tables.len());
        for game in tables {
            let loaded = self.games.present(game).await;
            let loaded = self.skipped_games.settle(Job::Matchmaking, game, loaded)?;
            waiting.extend(loaded.filter(|loaded| has_room(loaded)));
        }
        // A player whose commitment is void must commit again and is not moved: others come to the table.
        waiting.sort_by_key(|loaded| loaded.game.void_seeds().is_empty());
        let mut targets: Vec<GameId> = waiting.iter().map(|loaded| loaded.id).collect();
        while let Some(source) = waiting.pop() {
            targets.pop();
            for sitter in source.game.table.places.values().flatten() {
                for &target in &targets {
                    let moved = self.move_player(sitter, &source, target).await;
                    if self.skipped_games.settle(Job::Matchmaking, target, moved)? == Some(true) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Moves a player from a table to another one. Returns false if that is not possible.
    async fn move_player(
        self: &Arc<Matchmaking>,
        sitter: &Sitter,
        source: &LoadedGame,
        target: GameId,
    ) -> Result<bool, GameFailure> {
        let Some(account) = sitter.player.account() else { return Ok(false) };
        let commitment = match &sitter.seed {
            PlayerSeed::Committed(commitment) => Some(*commitment),
            PlayerSeed::Void | PlayerSeed::Missing => return Ok(false),
            _ => None,
        };
        let caller = Caller {
            account: account.clone(),
            session: Uuid::nil(),
            role: Role::Player,
            signed_in_at: Timestamp::UNIX_EPOCH,
        };
        let join = TableCommand::Join { place: None, commitment };
        let take_over = Effect::MoveQueue { account: account.clone(), from: source.id };
        let reservation = Reservation::with(vec![take_over]);
        match self.games.settle(Request::Admitted(&reservation), &caller, target, &join, None).await {
            Ok(_) => {}
            // Full, already begun, left meanwhile, or not open to this player.
            Err(
                GameFailure::Rejected(_)
                | GameFailure::Busy
                | GameFailure::Auth(_)
                | GameFailure::AuditorBarred
                | GameFailure::SatDownTooOften { .. }
                | GameFailure::TableChangedTooOften { .. }
                | GameFailure::Common(Failure::Store(StoreError::QueueBusy)),
            ) => return Ok(false),
            Err(failure) => return Err(failure),
        }
        self.finish_move(account, source.id).await?;
        self.advance_matchmade_table(target).await?;
        Ok(true)
    }

    /// Frees the seat of a moved player at the former table.
    pub(super) async fn finish_move(
        self: &Arc<Matchmaking>,
        account: &AccountId,
        from: GameId,
    ) -> Result<(), GameFailure> {
        for _ in 0..TRIES {
            let loaded = self.games.present(from).await?;
            let (status, position) = (loaded.game.status(), loaded.position_of(account));
            let (GameStatus::Lobby, Some(Position::Place(place))) = (status, position) else {
                let account = account.clone();
                return Ok(self.database.write(move |conn| finish_move(conn, &account, from)).await?);
            };
            let leave = TableCommand::Leave { place: place.index() as u8 };
            if self.attempt(&loaded, account, &leave).await? {
                return Ok(());
            }
        }
        Err(GameFailure::Busy)
    }
}
