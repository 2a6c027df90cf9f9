//! The view of a game at a past version.

use super::Games;
use super::view::GameView;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::base::request;
use estimation_engine::view::{view, view_revealed};
use estimation_store::GameId;

impl Games {
    /// A game at a version, as the caller may see it now. `legal` is empty except at the head.
    pub async fn state_at(&self, caller: &Caller, id: GameId, version: u64) -> Result<GameView, Failure> {
        let present = self.present(id).await?;
        self.admit(&present, &caller.account).await?;
        if version == present.version {
            return self.view_of(&present, &caller.account).await;
        }
        if version == 0 || version > present.version {
            return Err(Failure::NotFound { what: "version" });
        }
        // Each replay takes a read connection; the limit leaves the others free.
        let turn = request::in_time(self.replays.acquire())
            .await?
            .map_err(|error| Failure::Defect(error.to_string()))?;
        let past = self.at_version(&present, &caller.account, version).await?;
        drop(turn);
        let position = past.position_of(&caller.account);
        let mut seen = match present.game.is_over() {
            true => view_revealed(&past.game, position),
            false => view(&past.game, position),
        };
        seen.legal.clear();
        // The turn of a past state is over.
        Ok(GameView { remaining_ms: None, ..self.named(&past, seen).await? })
    }
}
