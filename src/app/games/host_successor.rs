//! The next host, for when a host leaves and the next in line may not host: their account is deleted, or they
//! host the maximum of tables.
//!
//! By the rules the next person in slot order succeeds the host. So the table is first handed to an eligible
//! player, and then the host leaves. Without one, the table is cancelled.

use std::pin::Pin;
use std::sync::Arc;

use super::Games;
use super::change::Request;
use super::commit::Committed;
use crate::app::failure::Failure;
use crate::app::idempotency::{Done, Reservation};
use crate::auth::caller::Caller;
use crate::engine::rejection::Rejection;
use crate::engine::seat::LobbySlot;
use crate::engine::table::TableCommand;
use crate::store::{GameId, StoreError};

impl Games {
    /// Handles a table command that fails because its player may not be seated or may not host.
    pub(super) async fn without_successor(
        self: &Arc<Games>,
        reservation: &Reservation,
        caller: &Caller,
        id: GameId,
        command: &TableCommand,
        refusal: StoreError,
    ) -> Result<Done<Committed>, Failure> {
        match (command, refusal) {
            (TableCommand::Leave { .. }, StoreError::NoAccount { .. } | StoreError::TooManyTables { .. }) => {
                self.leave_to_another(reservation, caller, id, command).await
            }
            (TableCommand::HandOver { place }, StoreError::NoAccount { .. }) => {
                Err(Rejection::NoPersonThere { place: LobbySlot::new(*place) }.into())
            }
            (_, StoreError::NoAccount { .. }) => Err(Failure::SessionEnded),
            (_, StoreError::TooManyTables { host, most }) => {
                Err(Failure::TooManyTables { host, limit: most })
            }
            (_, other) => Err(other.into()),
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
    ) -> Pin<Box<dyn Future<Output = Result<Done<Committed>, Failure>> + Send + 'a>> {
        Box::pin(async move {
            let next = match self.hand_over_to_another(caller, id).await? {
                true => leave,
                false => &TableCommand::Cancel,
            };
            self.settle(Request::Admitted(reservation), caller, id, next, None).await
        })
    }

    /// Makes another player the host of a lobby table. Returns whether one is eligible.
    pub(in crate::app) async fn hand_over_to_another(
        self: &Arc<Games>,
        caller: &Caller,
        id: GameId,
    ) -> Result<bool, Failure> {
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
