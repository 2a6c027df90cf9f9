//! `GET /v1/games/{id}/state`.

use actix_web::{HttpRequest, get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::etag::{IfNoneMatchHeader, view_answer};
use crate::http::parameters::{LogSeq, Query};
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::games::view::GameView;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

/// Which version of a game to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct StateQuery {
    /// The version to show.
    #[param(value_type = u64, minimum = 1, maximum = 9007199254740991i64)]
    version: LogSeq,
}

/// Show a past state of a game
///
/// Returns the game at a version, as the caller may see it. `legal` is empty, except at the current version.
#[utoipa::path(
    operation_id = "getState",
    tag = "audit",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        IfNoneMatchHeader,
        StateQuery
    ),
    responses(
        (status = 304, description = "The view has not changed."),
        (status = 200, description = "The view at that version."),
        CallerRefusals
    )
)]
#[get("/v1/games/{id}/state")]
pub(super) async fn get_state(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Query(StateQuery { version }): Query<StateQuery>,
) -> Result<Answer<GameView>, Problem> {
    let view = app.games.state_at(&caller, *id, version.0).await?;
    view_answer(&request, view)
}
