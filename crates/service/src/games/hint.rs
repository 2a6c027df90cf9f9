//! Hints: what the bot that would stand in for the caller would do now.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::Games;
use super::change::TRIES;
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::games::idempotency::Reservation;
use estimation_engine::command::{Actor, By, Command};
use estimation_engine::event::Events;
use estimation_engine::hint::take_hint;
use estimation_engine::table::Decided;
use estimation_store::GameId;

/// What the bot that would stand in for you would do.
#[derive(Debug, Serialize, ToSchema)]
pub struct Hint {
    /// The version of the game that the hint is for. Ignore the hint if you have a later one.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub version: u64,
    /// One of the commands in `legal`.
    pub command: Command,
}

impl Games {
    /// A hint for the caller's turn. The first hint of a game is recorded.
    ///
    /// # Errors
    /// What [`take_hint`] refuses; [`Failure::GameBusy`] if the game advanced every time.
    pub async fn hint(self: &Arc<Games>, caller: &Caller, id: GameId) -> Result<Hint, Failure> {
        let by = caller.authority(RequiredAuthority::SignedIn, self.clock.now());
        let reservation = Reservation::free(by);
        for _ in 0..TRIES {
            let loaded = self.present(id).await?;
            let position = self.seated(&loaded, &caller.account).await?;
            let Some(taken) = take_hint(&loaded.game, position)? else {
                let command = self.choice(&loaded, By::Bot, position).await?;
                return Ok(Hint { version: loaded.version, command });
            };
            let decided = Decided::led(Actor::at(position), Events::from_iter([taken]));
            self.change_on(&loaded, decided, &reservation).await?;
        }
        Err(Failure::GameBusy)
    }
}
