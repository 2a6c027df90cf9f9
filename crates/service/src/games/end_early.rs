//! Ending a game by its operator.

use std::sync::Arc;

use super::change::{TRIES, has_moved_on};
use super::view::accounts_at;
use super::{Games, LoadedGame};
use crate::auth::authority::CallerAuthority;
use crate::base::failure::Failure;
use crate::games::idempotency::Reservation;
use estimation_engine::player::AccountId;
use estimation_engine::table::end;
use estimation_store::moderation::{ActToRecord, ModerationAct};
use estimation_store::{Effect, GameId, StoreError};

impl Games {
    /// Ends a game that is not over, as abandoned, with the act that is made for its present state, by the authority of a
    /// moderator; `None` for the operator. Returns the act and the players.
    ///
    /// # Errors
    /// What `act` refuses; [`Failure::GameBusy`] if other changes won every time.
    pub(crate) async fn end_early<E: From<Failure>>(
        self: &Arc<Games>,
        id: GameId,
        by: Option<CallerAuthority>,
        act: impl Fn(&LoadedGame) -> Result<ActToRecord, E>,
    ) -> Result<(ModerationAct, Vec<AccountId>), E> {
        let mut reservation = by.map_or_else(|| Reservation::of_server(Vec::new()), Reservation::free);
        for _ in 0..TRIES {
            let state = self.present(id).await?;
            let act = act(&state)?;
            let decided = end(&state.game, &mut self.chance(&state)).map_err(Failure::from)?;
            reservation.extra_effects = vec![Effect::RecordAct(Box::new(act.clone()))];
            match self.commit(&state, decided, &reservation).await {
                Ok(_) => return Ok((act.act, accounts_at(&state.game.table).cloned().collect())),
                Err(Failure::Store(error)) if has_moved_on(&error) => {}
                Err(Failure::Store(StoreError::AuthorityChanged)) => {
                    reservation.renew(&self.database).await?;
                }
                Err(failure) => return Err(failure.into()),
            }
        }
        Err(Failure::GameBusy.into())
    }
}
