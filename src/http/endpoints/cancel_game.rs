//! `POST /v1/games/{id}/cancel`.

use actix_web::{HttpRequest, post, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::common::tables::table_command;
use crate::http::idempotency::OnceHeader;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::games::view::GameView;
use estimation_service::services::App;
use estimation_service::vocabulary::{GameId, TableCommand};

pub(super) const ACCESS: Access = Access::Others;

/// Cancel the game
///
/// The host cancels the game before its start.
#[utoipa::path(
    operation_id = "cancelGame",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        OnceHeader
    ),
    responses((status = 200, description = "The game is cancelled."), CallerRefusals)
)]
#[post("/v1/games/{id}/cancel")]
pub(super) async fn cancel_game(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
) -> Result<Answer<GameView>, Problem> {
    table_command(&request, &app, &caller, *id, &TableCommand::Cancel, None).await
}
