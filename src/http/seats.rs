//! `/v1/games/{id}/seats`: sitting down, standing up, bots. `/v1/join/{code}`: sitting down by invitation.

use actix_web::{HttpRequest, HttpResponse, delete, post, put, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::bearer::Bearer;
use super::body::Json;
use super::contract;
use super::field_errors::Body;
use super::games::{seated, table_command};
use super::idempotency::{OnceHeader, once_key};
use super::problem::Problem;
use super::refusals::{CallerRefusals, WriteRefusals};
use crate::app::services::App;
use crate::app::vocabulary::{BotLevel, ClientSeed, GameId, TableCommand};

/// Sitting down.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Sitting {
    /// The seat wanted; the first free one if nothing is given. Where seats are drawn for, it is a place.
    #[schema(minimum = 0, maximum = 4)]
    seat: Option<u8>,
    /// The invitation code of a private table.
    #[schema(min_length = 8, max_length = 8)]
    join_code: Option<String>,
    /// Your part in the shuffles. Sitting already, send it alone to replace the one you gave.
    #[schema(value_type = Option<String>, pattern = "^[0-9a-f]{32,64}$")]
    client_seed: Option<ClientSeed>,
}

impl Body for Sitting {}

/// Sitting down by invitation.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Joining {
    /// The seat wanted; the first free one if nothing is given.
    #[schema(minimum = 0, maximum = 4)]
    seat: Option<u8>,
    /// Your part in the shuffles.
    #[schema(value_type = Option<String>, pattern = "^[0-9a-f]{32,64}$")]
    client_seed: Option<ClientSeed>,
}

impl Body for Joining {}

/// A bot for a seat.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SeatBot {
    /// How well it plays.
    #[schema(value_type = contract::BotLevel)]
    level: BotLevel,
}

impl Body for SeatBot {}

/// Sit down
///
/// Takes a seat at a table in the lobby. Somebody who sits there already may send a `client_seed` alone to
/// replace theirs.
#[utoipa::path(
    operation_id = "joinGame",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        OnceHeader
    ),
    responses((status = 200, description = "You sit.", body = contract::GameView), WriteRefusals)
)]
#[post("/v1/games/{id}/seats")]
pub(super) async fn sit_down(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(sitting): Json<Sitting>,
) -> Result<HttpResponse, Problem> {
    let command = TableCommand::Join { place: sitting.seat, client_seed: sitting.client_seed };
    table_command(&request, &app, &caller, *id, &command, sitting.join_code.as_deref()).await
}

/// Sit down by invitation
///
/// Takes a seat at the table whose invitation code this is.
#[utoipa::path(
    operation_id = "joinByCode",
    tag = "games",
    params(
        ("code" = contract::JoinCode, Path, description = "The invitation code."),
        OnceHeader
    ),
    responses((status = 200, description = "You sit.", body = contract::GameView), WriteRefusals)
)]
#[post("/v1/join/{code}")]
pub(super) async fn join(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    code: web::Path<String>,
    Json(joining): Json<Joining>,
) -> Result<HttpResponse, Problem> {
    let command = TableCommand::Join { place: joining.seat, client_seed: joining.client_seed };
    let done = app.games.join_by_code(&caller, &code, &command, once_key(&request)?.as_ref()).await?;
    seated(&request, done)
}

/// Stand up
///
/// Frees a seat before the start: one's own, or for the host anybody's, bots included. A host who leaves hands
/// the table to the next person; the last to leave cancels it. During play, one's own seat is given up for
/// good, and a bot plays on; when the last person leaves, the game is abandoned.
#[utoipa::path(
    operation_id = "leaveSeat",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("seat" = contract::SeatNumber, Path, description = "The seat.")
    ),
    responses((status = 200, description = "The seat is free.", body = contract::GameView), CallerRefusals)
)]
#[delete("/v1/games/{id}/seats/{seat}")]
pub(super) async fn stand_up(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    path: web::Path<(GameId, u8)>,
) -> Result<HttpResponse, Problem> {
    let (id, place) = path.into_inner();
    table_command(&request, &app, &caller, id, &TableCommand::Leave { place }, None).await
}

/// Seat a bot
///
/// The host puts a bot at an empty seat before the start, or exchanges the bot that sits there. A bot is
/// removed as a person is, by `DELETE` of its seat.
#[utoipa::path(
    operation_id = "seatBot",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("seat" = u8, Path, description = "The seat.", minimum = 0, maximum = 4)
    ),
    responses((status = 200, description = "The bot sits.", body = contract::GameView), WriteRefusals)
)]
#[put("/v1/games/{id}/seats/{seat}/bot")]
pub(super) async fn seat_bot(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    path: web::Path<(GameId, u8)>,
    Json(bot): Json<SeatBot>,
) -> Result<HttpResponse, Problem> {
    let (id, place) = path.into_inner();
    let command = TableCommand::SeatBot { place, level: bot.level };
    table_command(&request, &app, &caller, id, &command, None).await
}
