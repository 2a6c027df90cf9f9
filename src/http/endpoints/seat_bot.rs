//! `PUT /v1/games/{id}/seats/{seat}/bot`.

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
use estimation_service::vocabulary::{BotLevel, GameId, TableCommand};

pub(super) const ACCESS: Access = Access::Others;

/// A request to seat a bot.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SeatBotRequest {
    /// The bot's level.
    level: BotLevel,
}

impl Body for SeatBotRequest {}

/// Seat a bot
///
/// The host puts a bot at an empty seat before the start, or replaces a bot. `DELETE` of its seat removes a bot.
#[utoipa::path(
    operation_id = "seatBot",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("seat" = u8, Path, description = "The seat.", minimum = 0, maximum = 4)
    ),
    responses((status = 200, description = "The bot has the seat."), WriteRefusals)
)]
#[put("/v1/games/{id}/seats/{seat}/bot")]
pub(super) async fn seat_bot(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    path: web::Path<(GameId, u8)>,
    Json(bot): Json<SeatBotRequest>,
) -> Result<Answer<GameView>, Problem> {
    let (id, place) = path.into_inner();
    let command = TableCommand::SeatBot { place, level: bot.level };
    table_command(&request, &app, &caller, id, &command, None).await
}
