//! `PUT /v1/me/blocks/{id}`.

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

/// Block a player
///
/// From now on neither of you sees, meets, invites or is matched with the other: the API answers each as if the other player, and
/// that player's games, did not exist. A game that both play goes on, without each other's reactions. At a table in the lobby,
/// the player loses the seat if you are the host; otherwise you lose yours. Friendship, requests and invitations between you
/// end. The server does not tell the player. You can block 200 players.
#[utoipa::path(
    operation_id = "blockPlayer",
    tag = "people",
    params(("id" = Uuid, Path, description = "The id of the player's account.")),
    responses((status = 204, description = "Done."), CallerRefusals)
)]
#[put("/v1/me/blocks/{id}")]
pub(super) async fn block_player(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<NoContent, Problem> {
    app.people.block(&caller, &AccountId::new(*id)).await?;
    Ok(NoContent)
}
