//! `PUT /v1/me/mutes/{id}`.

use actix_web::{put, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_engine::player::AccountId;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Mute a player
///
/// What the player says at tables does not reach you. The player is not told. You can mute 200 players.
#[utoipa::path(
    operation_id = "mutePlayer",
    tag = "people",
    params(("id" = Uuid, Path, description = "The id of the player's account.")),
    responses((status = 204, description = "Done."), CallerRefusals)
)]
#[put("/v1/me/mutes/{id}")]
pub(super) async fn mute_player(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<NoContent, Problem> {
    app.people.mute(&caller, &AccountId::new(*id)).await?;
    Ok(NoContent)
}
