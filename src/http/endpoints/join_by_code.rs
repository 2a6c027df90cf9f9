//! `POST /v1/join/{code}`.

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
use estimation_service::vocabulary::{Hex, TableCommand};

pub(super) const ACCESS: Access = Access::Others;

/// A request to join by invitation.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JoinByCodeRequest {
    /// The seat; the first free one if absent.
    #[schema(minimum = 0, maximum = 4)]
    seat: Option<u8>,
    /// Your commitment to a client seed: SHA-256 of its text. See `commitSeed`.
    seed_commitment: Option<Hex<32>>,
}

impl Body for JoinByCodeRequest {}

/// Join by invitation
///
/// Takes a seat at the table whose invitation code this is.
#[utoipa::path(
    operation_id = "joinByCode",
    tag = "games",
    params(
        ("code" = String, Path, min_length = 8, max_length = 8, pattern = "^[0-9A-Z]{8}$", description = "The invitation code."),
        OnceHeader
    ),
    responses((status = 200, description = "You have a seat."), WriteRefusals)
)]
#[post("/v1/join/{code}")]
pub(super) async fn join_by_code(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    code: web::Path<String>,
    Json(joining): Json<JoinByCodeRequest>,
) -> Result<Answer<GameView>, Problem> {
    let JoinByCodeRequest { seat: place, seed_commitment: commitment } = joining;
    let command = TableCommand::Join { place, commitment };
    let done = app.games.join_by_code(&caller, &code, &command, once_key(&request)?.as_ref()).await?;
    seated(&request, done)
}
