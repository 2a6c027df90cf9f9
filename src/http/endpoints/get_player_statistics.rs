//! `GET /v1/players/{id}/statistics`.

use actix_web::{get, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_engine::player::AccountId;
use estimation_service::players::PlayerStatistics;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Anyone;

/// Show a player's statistics
///
/// Returns a player's results for each ruleset. Every finished game counts a few seconds after its end, including
/// private games and games with bots. Abandoned games do not count. The rating is the Weng–Lin rating for several
/// players. It counts finished games in which a person had every seat at the start. A player who gave up a game is
/// ranked last in it. `broken_off` counts cancelled tables, missed openings and games left, of every kind of game.
#[utoipa::path(
    operation_id = "getPlayerStatistics",
    tag = "players",
    params(("id" = Uuid, Path, description = "The id of the player's account.")),
    responses((status = 200, description = "The statistics."), CallerRefusals)
)]
#[get("/v1/players/{id}/statistics")]
pub(super) async fn get_player_statistics(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<Answer<PlayerStatistics>, Problem> {
    Ok(Answer::json(&app.players.statistics(&caller, &AccountId::new(*id)).await?))
}
