//! The proof that the public log has the end of a game.

use std::sync::Arc;

use super::{Games, LoadedGame};
use crate::auth::caller::Caller;
use crate::games::failure::GameFailure;
use estimation_engine::event::Visibility;
use estimation_store::{GameId, games};

impl Games {
    /// The proof file of a game that is over, for accounts that sat in it, and for everybody if it was public.
    ///
    /// # Errors
    /// [`GameFailure::NotOver`], also until a checkpoint has the game's end;
    /// [`Withheld`](crate::base::failure::Failure::Withheld) for a game that the caller may not see.
    pub async fn proof(&self, caller: &Caller, id: GameId) -> Result<String, GameFailure> {
        let loaded = self.present(id).await?;
        let is_open = loaded.game.table.visibility == Visibility::Public;
        if !loaded.game.is_over() || !(is_open || loaded.game.sat_in(&caller.account)) {
            loaded.admit(&caller.account)?;
            return Err(GameFailure::NotOver);
        }
        self.public_log.proof(id).await?.ok_or(GameFailure::NotOver)
    }

    /// The proof file of a public game that is over, for anyone; none for every other id.
    ///
    /// # Errors
    /// [`GameFailure::NotOver`] until a checkpoint has the game's end.
    pub async fn public_proof(&self, id: GameId) -> Result<Option<String>, GameFailure> {
        match self.public_and_over(id).await? {
            Some(_) => self.public_log.proof(id).await?.ok_or(GameFailure::NotOver).map(Some),
            None => Ok(None),
        }
    }

    /// A public game that is over; none for every other id: without an account, a caller learns nothing about other
    /// games.
    pub(crate) async fn public_and_over(&self, id: GameId) -> Result<Option<Arc<LoadedGame>>, GameFailure> {
        let row = self.database.read(move |conn| games::find(conn, id)).await?;
        let public = Visibility::Public.as_str();
        if row.is_none_or(|row| row.visibility != public || row.ended_at.is_none()) {
            return Ok(None);
        }
        let loaded = self.present(id).await?;
        let is_open = loaded.game.is_over() && loaded.game.table.visibility == Visibility::Public;
        Ok(is_open.then_some(loaded))
    }
}
