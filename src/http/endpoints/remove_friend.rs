//! `DELETE /v1/me/friends/{id}`.

use actix_web::{delete, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_engine::player::AccountId;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// End a friendship
///
/// Ends a friendship, withdraws your request, or declines the request of the player. The player is not told.
#[utoipa::path(
    operation_id = "removeFriend",
    tag = "people",
    params(("id" = Uuid, Path, description = "The id of the player's account.")),
    responses((status = 204, description = "Done."), CallerRefusals)
)]
#[delete("/v1/me/friends/{id}")]
pub(super) async fn remove_friend(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<NoContent, Problem> {
    app.people.end_friendship(&caller, &AccountId::new(*id)).await?;
    Ok(NoContent)
}
