//! The score sheet of a game.

use serde::Serialize;
use utoipa::ToSchema;

use super::Games;
use super::loaded_game::LoadedGame;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use estimation_engine::game::GameStatus;
use estimation_engine::seat::BySeat;
use estimation_engine::sheet::{SheetRow, sheet};
use estimation_engine::view::{PenaltyView, view};
use estimation_store::GameId;

/// Every finished round with the items its points consist of.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ScoreSheet {
    /// The game's id.
    pub game: GameId,
    /// The game's version: the number of its last event.
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
    pub version: u64,
    /// The game's status.
    pub status: GameStatus,
    /// The totals by seat, penalties included.
    #[schema(value_type = Vec<i32>, min_items = 2, max_items = 5)]
    pub totals: BySeat<i32>,
    /// The finished rounds, in order.
    #[schema(max_items = 19)]
    pub rounds: Vec<SheetRow>,
    /// Penalties for revokes (`nineteen` R10).
    #[schema(max_items = 2_147_483_647)]
    pub penalties: Vec<PenaltyView>,
    /// The rank of each seat, from 1; null until the game is finished.
    #[schema(value_type = Option<Vec<u8>>, min_items = 2, max_items = 5, minimum = 1, maximum = 5)]
    pub ranks: Option<BySeat<u8>>,
}

impl Games {
    /// The finished rounds of a game as JSON, as in the score sheet.
    pub(crate) fn rounds_as_json(loaded: &LoadedGame) -> Result<serde_json::Value, Failure> {
        let rounds = serde_json::to_value(sheet(&loaded.game));
        rounds.map_err(|error| Failure::Defect(error.to_string()))
    }

    pub async fn scores(&self, caller: &Caller, id: GameId) -> Result<ScoreSheet, Failure> {
        let loaded = self.present(id).await?;
        self.admit(&loaded, &caller.account).await?;
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
