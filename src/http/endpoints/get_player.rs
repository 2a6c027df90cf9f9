//! `GET /v1/players/{id}`.

use actix_web::{get, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_engine::player::AccountId;
use estimation_service::players::PlayerProfile;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Anyone;

/// Show a player
///
/// Returns the public profile of a player. A deleted account is shown under the pseudonym that its games show, as
/// long as a game exists in which it had a seat.
#[utoipa::path(
    operation_id = "getPlayer",
    tag = "players",
    params(("id" = Uuid, Path, description = "The id of the player's account.")),
    responses((status = 200, description = "The player."), CallerRefusals)
)]
#[get("/v1/players/{id}")]
pub(super) async fn get_player(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<Answer<PlayerProfile>, Problem> {
    Ok(Answer::json(&app.players.profile(&caller, &AccountId::new(*id)).await?))
}
