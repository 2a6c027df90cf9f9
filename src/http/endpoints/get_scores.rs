//! `GET /v1/games/{id}/scores`.

use actix_web::{HttpRequest, get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::etag::{IfNoneMatchHeader, versioned};
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::games::ScoreSheet;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

/// Show the score sheet
///
/// Returns every finished round. Each seat has the call, the tricks, the points and the lines that add up to them.
#[utoipa::path(
    operation_id = "getScores",
    tag = "play",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        IfNoneMatchHeader
    ),
    responses(
        (status = 200, description = "The score sheet.",
            headers(("ETag" = String, description = "The version, a dot, and a tag of the score sheet."))),
        (status = 304, description = "The score sheet has not changed."),
        CallerRefusals
    )
)]
#[get("/v1/games/{id}/scores")]
pub(super) async fn get_scores(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
) -> Result<Answer<ScoreSheet>, Problem> {
    let sheet = app.games.scores(&caller, *id).await?;
    versioned(&request, sheet.version, &sheet)
}
