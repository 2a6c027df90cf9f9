//! Seats over HTTP: bots, the host, and the same table again.

use actix_web::{HttpRequest, HttpResponse, post, put, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::bearer::Bearer;
use super::body::Json;
use super::contract;
use super::field_errors::Body;
use super::games::seated;
use super::idempotency::{OnceHeader, once_key};
use super::problem::Problem;
use super::refusals::{CallerRefusals, WriteRefusals};
use crate::app::state::App;
use crate::app::vocabulary::{BotLevel, TableCommand};

/// A bot for a seat.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SeatBot {
    /// How well it plays.
    #[schema(value_type = contract::BotLevel)]
    level: BotLevel,
}

impl Body for SeatBot {}

/// A new host.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewHost {
    /// The seat of the person who is to be the host.
    #[schema(minimum = 0, maximum = 4)]
    seat: u8,
}

impl Body for NewHost {}

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
    path: web::Path<(Uuid, u8)>,
    Json(bot): Json<SeatBot>,
) -> Result<HttpResponse, Problem> {
    let (id, place) = path.into_inner();
    let command = TableCommand::SeatBot { place, level: bot.level };
    seated(&request, app.games.at_table(&caller, id, &command, None, None).await?)
}

/// Hand the table over
///
/// The host makes another person at the table the host, before the start. Somebody who has as many tables in
/// the lobby as a host may is refused with `too-many-tables`.
#[utoipa::path(
    operation_id = "handOver",
    tag = "games",
    params(("id" = Uuid, Path, description = "The game's id.")),
    responses((status = 200, description = "The table has another host.", body = contract::GameView), WriteRefusals)
)]
#[put("/v1/games/{id}/host")]
pub(super) async fn hand_over(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
    Json(heir): Json<NewHost>,
) -> Result<HttpResponse, Problem> {
    let command = TableCommand::HandOver { place: heir.seat };
    seated(&request, app.games.at_table(&caller, *id, &command, None, None).await?)
}

/// Play again
///
/// The same table again, once a game is over: whoever asks first opens it as its host, with the same rules
/// and bots; the others who sat in the game are told on their own streams, and sit down at it by asking too.
#[utoipa::path(
    operation_id = "rematch",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The id of the game that is over."),
        OnceHeader
    ),
    responses((status = 200, description = "You sit at the table of the rematch.", body = contract::GameView), CallerRefusals)
)]
#[post("/v1/games/{id}/rematch")]
pub(super) async fn rematch(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let once = once_key(&request)?;
    seated(&request, app.games.rematch(&caller, *id, once.as_ref()).await?)
}
