//! `POST /v1/admin/games/{id}/end`.

use actix_web::{post, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_service::desk::{EndRequest, ModeratorAct};
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Admin;

impl Body for EndRequest {}

/// End a game
///
/// Ends a game that is not over, as abandoned. It counts for nobody, and its history says that the operator ended it. Nobody ends a
/// game in which they play (`account-protected`). For moderators and admins. The second step must have been passed within the last 15 minutes.
#[utoipa::path(
    operation_id = "endGame",
    tag = "admin",
    params(("id" = Uuid, Path, description = "The game's id.")),
    responses((status = 200, description = "The act."), WriteRefusals)
)]
#[post("/v1/admin/games/{id}/end")]
pub(super) async fn end_game(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(end): Json<EndRequest>,
) -> Result<Answer<ModeratorAct>, Problem> {
    Ok(Answer::json(&app.desk.end_game(&caller, *id, &end).await?))
}
