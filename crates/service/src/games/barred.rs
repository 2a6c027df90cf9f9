//! Table commands that the admission check refuses because of another person at the table.
//!
//! - There is a block between the account and a player: the answer is that of a table that does not exist.
//! - An account that was deleted keeps its seat until the deletion frees it. A command that would start the game with
//!   it or make it the host frees the seat first, and is decided again.
//! - By the rules the next person in slot order succeeds a host who leaves. If that person hosts the maximum of tables,
//!   the table is first handed to an eligible player, and then the host leaves. Without one, the table is cancelled.

use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::Games;
use super::change::Request;
use super::commit::CommitResult;
use crate::auth::caller::Caller;
use crate::auth::restrictions::Restrictions;
use crate::auth::tokens::Role;
use crate::base::failure::Failure;
use crate::games::idempotency::{IdempotentResult, Reservation};
use estimation_engine::command::Position;
use estimation_engine::player::AccountId;
use estimation_engine::rejection::Rejection;
use estimation_engine::table::TableCommand;
use estimation_store::{GameId, StoreError};

/// Attempts at freeing one seat.
const ATTEMPTS: usize = 4;

impl Games {
    /// Handles a table command that the admission check refuses.
    pub(super) async fn when_barred(
        self: &Arc<Games>,
        reservation: &Reservation,
        caller: &Caller,
        id: GameId,
        command: &TableCommand,
        refusal: StoreError,
    ) -> Result<IdempotentResult<CommitResult>, Failure> {
        match (command, refusal) {
            (_, StoreError::NoAccount { account }) if account == caller.account => Err(Failure::SessionEnded),
            (_, StoreError::Blocked { .. }) => Err(Failure::Blocked),
            (_, StoreError::NoAccount { account }) => {
                self.without_deleted(reservation, caller, id, command, &account).await
            }
            (TableCommand::Leave { .. }, StoreError::TooManyTables { .. }) => {
                self.leave_to_another(reservation, caller, id, command).await
            }
            (_, StoreError::TooManyTables { host, limit }) => Err(Failure::TooManyTables { host, limit }),
            (_, other) => Err(other.into()),
        }
    }

    /// Frees the seat of a deleted account, then decides the command again. Boxed, since it is itself a change of the
    /// table.
    fn without_deleted<'a>(
        self: &'a Arc<Games>,
        reservation: &'a Reservation,
        caller: &'a Caller,
        id: GameId,
        command: &'a TableCommand,
        deleted: &'a AccountId,
    ) -> Pin<Box<dyn Future<Output = Result<IdempotentResult<CommitResult>, Failure>> + Send + 'a>> {
        Box::pin(async move {
            self.free_seat(id, deleted).await?;
            self.settle(Request::Admitted(reservation), caller, id, command, None).await
        })
    }

    /// Removes a deleted account from an unfinished game: the seat becomes free, or a bot takes it. Does nothing if the
    /// account has no seat.
    pub(crate) async fn free_seat(
        self: &Arc<Games>,
        game: GameId,
        account: &AccountId,
    ) -> Result<(), Failure> {
        let caller = Caller {
            account: account.clone(),
            session: Uuid::nil(),
            role: Role::Player,
            signed_in_at: Timestamp::UNIX_EPOCH,
            restrictions: Restrictions::default(),
        };
        // A table that starts meanwhile renumbers its seats; the second attempt finds the new number.
        for _ in 0..ATTEMPTS {
            let Some(position) = self.open_position(game, account).await? else { return Ok(()) };
            let leave = TableCommand::Leave { place: position.number().index() as u8 };
            let reservation = Reservation::of_server(Vec::new());
            match self.settle(Request::Admitted(&reservation), &caller, game, &leave, None).await {
                Ok(_) | Err(Failure::Rejected(_) | Failure::NotFound { .. } | Failure::Withheld { .. }) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// The account's position in an unfinished game. `None` also for an unreadable game, so it cannot block
    /// deletion.
    async fn open_position(&self, game: GameId, account: &AccountId) -> Result<Option<Position>, Failure> {
        match self.present(game).await {
            Ok(loaded) => Ok(loaded.position_of(account).filter(|_| !loaded.game.is_over())),
            Err(failure) if failure.is_unreadable() => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Hands the table to an eligible player, then removes the host. Boxed, since leaving is itself a change
    /// of the table.
    fn leave_to_another<'a>(
        self: &'a Arc<Games>,
        reservation: &'a Reservation,
        caller: &'a Caller,
        id: GameId,
        leave: &'a TableCommand,
    ) -> Pin<Box<dyn Future<Output = Result<IdempotentResult<CommitResult>, Failure>> + Send + 'a>> {
        Box::pin(async move {
            let next = match self.hand_over_to_another(caller, id).await? {
                true => leave,
                false => &TableCommand::Cancel,
            };
            self.settle(Request::Admitted(reservation), caller, id, next, None).await
        })
    }

    /// Makes another player the host of a lobby table. Returns whether one is eligible.
    async fn hand_over_to_another(self: &Arc<Games>, caller: &Caller, id: GameId) -> Result<bool, Failure> {
        let present = self.present(id).await?;
        let others = present.game.table.places.iter().filter(|(_, sitter)| {
            let account = sitter.as_ref().and_then(|sitter| sitter.player.account());
            account.is_some_and(|account| *account != caller.account)
        });
        for place in others.map(|(seat, _)| seat.as_place().index() as u8).collect::<Vec<_>>() {
            let hand_over = TableCommand::HandOver { place };
            match self.settle(Request::Own(None), caller, id, &hand_over, None).await {
                // Handed over, now or by a concurrent request.
                Ok(_) | Err(Failure::Rejected(Rejection::NotHost)) => return Ok(true),
                Err(Failure::TooManyTables { .. } | Failure::Rejected(Rejection::NoPersonThere { .. })) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(false)
    }
}
