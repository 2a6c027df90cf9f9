//! `PUT /v1/games/{id}/host`.

use actix_web::{HttpRequest, put, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::common::tables::table_command;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_service::games::view::GameView;
use estimation_service::services::App;
use estimation_service::vocabulary::{GameId, TableCommand};

pub(super) const ACCESS: Access = Access::Others;

/// A request to make another player the host.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HandOverRequest {
    /// The seat of the new host, who must be a person.
    #[schema(minimum = 0, maximum = 4)]
    seat: u8,
}

impl Body for HandOverRequest {}

/// Hand the table over
///
/// The host makes another person at the table the host, before the start. A player who already hosts the
/// maximum of lobby tables is refused with `too-many-tables`.
#[utoipa::path(
    operation_id = "changeHost",
    tag = "games",
    params(("id" = Uuid, Path, description = "The game's id.")),
    responses((status = 200, description = "The table has another host."), WriteRefusals)
)]
#[put("/v1/games/{id}/host")]
pub(super) async fn change_host(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(heir): Json<HandOverRequest>,
) -> Result<Answer<GameView>, Problem> {
    let command = TableCommand::HandOver { place: heir.seat };
    table_command(&request, &app, &caller, *id, &command, None).await
}
