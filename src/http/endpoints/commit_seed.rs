//! `POST /v1/games/{id}/seed-commitment`.

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
use estimation_service::vocabulary::{GameId, Hex, TableCommand};

pub(super) const ACCESS: Access = Access::Others;

/// A request to commit to a client seed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CommitSeedRequest {
    /// SHA-256 of the seed's text; null to go without a seed.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required)]
    commitment: Option<Hex<32>>,
}

impl Body for CommitSeedRequest {}

/// Commit to a client seed
///
/// Commits you to a secret random seed before the start, in place of your former seed. Do not commit if your app may not
/// be awake at the start: a game never starts without a seed that a player committed to.
#[utoipa::path(
    operation_id = "commitSeed",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        OnceHeader
    ),
    responses((status = 200, description = "You have committed."), WriteRefusals)
)]
#[post("/v1/games/{id}/seed-commitment")]
pub(super) async fn commit_seed(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(CommitSeedRequest { commitment }): Json<CommitSeedRequest>,
) -> Result<Answer<GameView>, Problem> {
    table_command(&request, &app, &caller, *id, &TableCommand::CommitSeed { commitment }, None).await
}
