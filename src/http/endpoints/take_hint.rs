//! `POST /v1/games/{id}/hint`.

use actix_web::{HttpRequest, post, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::rate;
use crate::http::refusals::CallerRefusals;
use estimation_service::games::Hint;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

/// Take a hint
///
/// Says what the bot that would stand in for you would do now. It knows only what you see. Hints are for games
/// that started with one person, in that person's turn. The first hint of a game is recorded, and the game then
/// counts in no statistics: `scores.hinted` in the view says so.
#[utoipa::path(
    operation_id = "takeHint",
    tag = "play",
    params(("id" = Uuid, Path, description = "The game's id.")),
    responses((status = 200, description = "The hint."), CallerRefusals)
)]
#[post("/v1/games/{id}/hint")]
pub(super) async fn take_hint(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
) -> Result<Answer<Hint>, Problem> {
    rate::count_hint(&request, &caller)?;
    Ok(Answer::json(&app.games.hint(&caller, *id).await?))
}
