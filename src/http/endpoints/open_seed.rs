//! `POST /v1/games/{id}/seed`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::common::tables::table_command;
use crate::http::field_errors::Body;
use crate::http::idempotency::OnceHeader;
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_service::games::view::GameView;
use estimation_service::services::App;
use estimation_service::vocabulary::{ClientSeed, GameId, TableCommand};

pub(super) const ACCESS: Access = Access::Others;

/// A request to open a client seed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenSeedRequest {
    /// The seed to which you committed.
    client_seed: ClientSeed,
}

impl Body for OpenSeedRequest {}

/// Open your client seed
///
/// Opens your seed when the start was requested (event `opening_began`). The game starts with the last seed. If one stays
/// closed until `fairness.opening_until`, all commitments are void (`opening_failed`): commit to a new seed.
#[utoipa::path(
    operation_id = "openSeed",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        OnceHeader
    ),
    responses((status = 200, description = "Your seed is open."), WriteRefusals)
)]
#[post("/v1/games/{id}/seed")]
pub(super) async fn open_seed(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(OpenSeedRequest { client_seed }): Json<OpenSeedRequest>,
) -> Result<Answer<GameView>, Problem> {
    table_command(&request, &app, &caller, *id, &TableCommand::OpenSeed { client_seed }, None).await
}
