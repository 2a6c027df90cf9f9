//! `POST /v1/games/{id}/seats`.

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

/// A request to join a table.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JoinRequest {
    /// The seat; the first free one if absent. If the ruleset draws for seats, this is a place in the lobby.
    #[schema(minimum = 0, maximum = 4)]
    seat: Option<u8>,
    /// The invitation code of a private table.
    #[schema(value_type = Option<String>, min_length = 8, max_length = 8)]
    join_code: Option<JoinCode>,
    /// Your commitment to a client seed: SHA-256 of its text. See `commitSeed`.
    seed_commitment: Option<Hex<32>>,
}

impl Body for JoinRequest {}

/// An invitation code: 8 characters. A public table needs none and reads none, but a wrong form is refused there too.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct JoinCode(String);

impl TryFrom<String> for JoinCode {
    type Error = &'static str;

    fn try_from(text: String) -> Result<JoinCode, &'static str> {
        if text.chars().count() == 8 { Ok(JoinCode(text)) } else { Err("not an invitation code") }
    }
}

/// Join a table
///
/// Takes a seat at a table in the lobby.
#[utoipa::path(
    operation_id = "joinGame",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        OnceHeader
    ),
    responses((status = 200, description = "You have a seat."), WriteRefusals)
)]
#[post("/v1/games/{id}/seats")]
pub(super) async fn join_game(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(sitting): Json<JoinRequest>,
) -> Result<Answer<GameView>, Problem> {
    let JoinRequest { seat: place, join_code, seed_commitment: commitment } = sitting;
    let command = TableCommand::Join { place, commitment };
    let join_code = join_code.as_ref().map(|code| code.0.as_str());
    table_command(&request, &app, &caller, *id, &command, join_code).await
}
