//! `POST /v1/games/{id}/rematch`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::common::tables::seated;
use crate::http::field_errors::Body;
use crate::http::idempotency::{OnceHeader, once_key};
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_service::games::view::GameView;
use estimation_service::services::App;
use estimation_service::vocabulary::{GameId, Hex};

pub(super) const ACCESS: Access = Access::Others;

/// A request to play again.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RematchRequest {
    /// Your commitment to a client seed: SHA-256 of its text. See `commitSeed`.
    seed_commitment: Option<Hex<32>>,
}

impl Body for RematchRequest {}

/// Play again
///
/// After a game, the first player who asks opens a new table with the same rules and bots, and becomes its
/// host. The other players of the game are invited on their account streams, and join with the same request.
#[utoipa::path(
    operation_id = "createRematch",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The id of the game that is over."),
        OnceHeader
    ),
    responses((status = 200, description = "You sit at the table of the rematch."), WriteRefusals)
)]
#[post("/v1/games/{id}/rematch")]
pub(super) async fn create_rematch(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(RematchRequest { seed_commitment }): Json<RematchRequest>,
) -> Result<Answer<GameView>, Problem> {
    let once = once_key(&request)?;
    seated(&request, app.games.rematch(&caller, *id, seed_commitment, once.as_ref()).await?)
}
