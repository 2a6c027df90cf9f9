//! `GET /v1/games/{id}`.

use actix_web::{HttpRequest, get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::etag::{IfNoneMatchHeader, view_answer};
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::games::view::GameView;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

/// Show a game
///
/// The game as the caller may see it, with everything needed to draw the table and, in `legal`, the exact
/// commands the caller may post now.
#[utoipa::path(
    operation_id = "getGame",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        IfNoneMatchHeader
    ),
    responses(
        (status = 200, description = "The view.",
            headers(("ETag" = String, description = "The version, a dot, and a tag of what this caller sees."))),
        (status = 304, description = "You have this view already."),
        CallerRefusals
    )
)]
#[get("/v1/games/{id}")]
pub(super) async fn get_game(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
) -> Result<Answer<GameView>, Problem> {
    let game = app.games.view(&caller, *id).await?;
    view_answer(&request, game)
}
