//! Ending a game by its operator.

use std::sync::Arc;

use super::Games;
use super::change::{TRIES, has_moved_on};
use crate::base::failure::Failure;
use crate::games::failure::GameFailure;
use crate::games::idempotency::Reservation;
use estimation_engine::table::end;
use estimation_store::{Effect, GameId};

impl Games {
    /// Ends a game that is not over, as abandoned, with effects in the same transaction.
    ///
    /// # Errors
    /// [`Rejection::NotPlaying`](estimation_engine::rejection::Rejection::NotPlaying) if it is over; [`GameFailure::Busy`].
    pub(crate) async fn end_early(
        self: &Arc<Games>,
        id: GameId,
        effects: Vec<Effect>,
    ) -> Result<(), GameFailure> {
        let reservation = Reservation::with(effects);
        for _ in 0..TRIES {
            let state = self.present(id).await?;
            let decided = end(&state.game, &mut self.chance(&state))?;
            match self.commit(&state, decided, &reservation).await {
                Ok(_) => return Ok(()),
                Err(GameFailure::Common(Failure::Store(error))) if has_moved_on(&error) => {}
                Err(failure) => return Err(failure),
            }
        }
        Err(GameFailure::Busy)
    }
}
