//! `DELETE /v1/me/blocks/{id}`.

use actix_web::{delete, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_engine::player::AccountId;
use estimation_service::services::App;
use estimation_service::vocabulary::Relation;

pub(super) const ACCESS: Access = Access::Own;

/// End a block
///
/// Does nothing if you do not block the player.
#[utoipa::path(
    operation_id = "unblockPlayer",
    tag = "people",
    params(("id" = Uuid, Path, description = "The id of the player's account.")),
    responses((status = 204, description = "Done."), CallerRefusals)
)]
#[delete("/v1/me/blocks/{id}")]
pub(super) async fn unblock_player(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<NoContent, Problem> {
    app.people.forgive(&caller, &AccountId::new(*id), Relation::Block).await?;
    Ok(NoContent)
}
