//! `POST /v1/games/{id}/start`.

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

/// Start the game
///
/// The host starts the game; every seat must be taken. Players and client seeds are frozen with it. If players have
/// committed to seeds, the status stays `lobby` until they have opened them (`openSeed`).
#[utoipa::path(
    operation_id = "startGame",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        OnceHeader
    ),
    responses((status = 200, description = "The game has started."), CallerRefusals)
)]
#[post("/v1/games/{id}/start")]
pub(super) async fn start_game(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
) -> Result<Answer<GameView>, Problem> {
    table_command(&request, &app, &caller, *id, &TableCommand::Start, None).await
}
