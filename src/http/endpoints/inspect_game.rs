//! `GET /v1/admin/games/{id}`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::desk::InspectedGame;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Admin;

/// Show a game to operators
///
/// Returns the public facts of a game, private ones too, where it stands in the public log, and what moderators did. No cards. For
/// moderators, admins and auditors.
#[utoipa::path(
    operation_id = "inspectGame",
    tag = "admin",
    params(("id" = Uuid, Path, description = "The game's id.")),
    responses((status = 200, description = "The game."), CallerRefusals)
)]
#[get("/v1/admin/games/{id}")]
pub(super) async fn inspect_game(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
) -> Result<Answer<InspectedGame>, Problem> {
    Ok(Answer::json(&app.desk.inspect_game(&caller, *id).await?))
}
