//! `/v1/games/{id}/seed-commitment` and `/v1/games/{id}/seed`: what players add to the shuffles.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::answer::Answer;
use super::bearer::Bearer;
use super::body::Json;
use super::field_errors::Body;
use super::games::table_command;
use super::idempotency::OnceHeader;
use super::problem::Problem;
use super::refusals::WriteRefusals;
use estimation_service::games::view::GameView;
use estimation_service::services::App;
use estimation_service::vocabulary::{ClientSeed, GameId, Hex, TableCommand};

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

/// A request to open a client seed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenSeedRequest {
    /// The seed to which you committed.
    client_seed: ClientSeed,
}

impl Body for OpenSeedRequest {}

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
pub(super) async fn commit(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(CommitSeedRequest { commitment }): Json<CommitSeedRequest>,
) -> Result<Answer<GameView>, Problem> {
    table_command(&request, &app, &caller, *id, &TableCommand::CommitSeed { commitment }, None).await
}

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
pub(super) async fn open(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(OpenSeedRequest { client_seed }): Json<OpenSeedRequest>,
) -> Result<Answer<GameView>, Problem> {
    table_command(&request, &app, &caller, *id, &TableCommand::OpenSeed { client_seed }, None).await
}
