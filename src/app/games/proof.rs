//! The proof that the public log has the end of a game.

use super::Games;
use crate::app::failure::Failure;
use crate::auth::caller::Caller;
use crate::engine::event::Visibility;
use crate::store::GameId;

impl Games {
    /// The proof file of a game that is over, for accounts that sat in it, and for everybody if it was public; none until
    /// a checkpoint has the game's end.
    ///
    /// # Errors
    /// [`Failure::NotOver`]; [`Failure::Withheld`] for a game that the caller may not see.
    pub async fn proof(&self, caller: &Caller, id: GameId) -> Result<Option<String>, Failure> {
        let loaded = self.present(id).await?;
        let is_open = loaded.game.table.visibility == Visibility::Public;
        if !loaded.game.is_over() || !(is_open || loaded.game.sat_in(&caller.account)) {
            loaded.admit(&caller.account)?;
            return Err(Failure::NotOver);
        }
        self.public_log.proof(id).await
    }
}
