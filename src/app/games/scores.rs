//! The score sheet of a game.

use serde::Serialize;

use super::Games;
use crate::app::failure::Failure;
use crate::auth::caller::Caller;
use crate::engine::game::Status;
use crate::engine::seat::BySeat;
use crate::engine::sheet::{SheetRow, sheet};
use crate::engine::view::{PenaltyView, view};
use crate::store::GameId;

/// Every finished round with the items its points consist of.
#[derive(Clone, Debug, Serialize)]
pub struct ScoreSheet {
    pub game: GameId,
    pub version: u64,
    pub status: Status,
    /// By seat, penalties included.
    pub totals: BySeat<i32>,
    pub rounds: Vec<SheetRow>,
    /// Penalties for revokes (`nineteen` R10).
    pub penalties: Vec<PenaltyView>,
    /// The rank of each seat, once the game is finished.
    pub ranks: Option<BySeat<u8>>,
}

impl Games {
    pub async fn scores(&self, caller: &Caller, id: GameId) -> Result<ScoreSheet, Failure> {
        let loaded = self.present(id).await?;
        loaded.admit(&caller.account)?;
        let scores = view(&loaded.game, None).scores;
        Ok(ScoreSheet {
            game: id,
            version: loaded.version,
            status: loaded.game.status(),
            totals: scores.totals,
            rounds: sheet(&loaded.game),
            penalties: scores.penalties,
            ranks: scores.ranks,
        })
    }
}
