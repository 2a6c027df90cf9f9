//! `/v1/games/{id}/seats`: joining, leaving, bots. `/v1/join/{code}`: joining by invitation.

use actix_web::{HttpRequest, delete, post, put, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::answer::Answer;
use super::bearer::Bearer;
use super::body::Json;
use super::field_errors::Body;
use super::games::{seated, table_command};
use super::idempotency::{OnceHeader, once_key};
use super::problem::Problem;
use super::refusals::{CallerRefusals, WriteRefusals};
use estimation_service::games::view::GameView;
use estimation_service::services::App;
use estimation_service::vocabulary::{BotLevel, ClientSeed, GameId, Hex, TableCommand};

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
    /// A seed that is public from now on. A seated player sends it alone to replace the former one. A commitment binds
    /// more.
    client_seed: Option<ClientSeed>,
    /// A commitment to your client seed: SHA-256 of its text. See `commitSeed`.
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

/// A request to join by invitation.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JoinByCodeRequest {
    /// The seat; the first free one if absent.
    #[schema(minimum = 0, maximum = 4)]
    seat: Option<u8>,
    /// A seed that is public from now on. A commitment binds more.
    client_seed: Option<ClientSeed>,
    /// A commitment to your client seed: SHA-256 of its text. See `commitSeed`.
    seed_commitment: Option<Hex<32>>,
}

impl Body for JoinByCodeRequest {}

/// A request to seat a bot.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SeatBotRequest {
    /// The bot's level.
    level: BotLevel,
}

impl Body for SeatBotRequest {}

/// Join a table
///
/// Takes a seat at a table in the lobby. A seated player may send a `client_seed` alone to replace the former
/// one.
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
pub(super) async fn sit_down(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(sitting): Json<JoinRequest>,
) -> Result<Answer<GameView>, Problem> {
    let JoinRequest { seat: place, join_code, client_seed, seed_commitment: commitment } = sitting;
    let command = TableCommand::Join { place, client_seed, commitment };
    let join_code = join_code.as_ref().map(|code| code.0.as_str());
    table_command(&request, &app, &caller, *id, &command, join_code).await
}

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
pub(super) async fn join(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    code: web::Path<String>,
    Json(joining): Json<JoinByCodeRequest>,
) -> Result<Answer<GameView>, Problem> {
    let JoinByCodeRequest { seat: place, client_seed, seed_commitment: commitment } = joining;
    let command = TableCommand::Join { place, client_seed, commitment };
    let done = app.games.join_by_code(&caller, &code, &command, once_key(&request)?.as_ref()).await?;
    seated(&request, done)
}

/// Leave a seat
///
/// Frees a seat before the start: your own, or as the host any seat, also a bot's. A host who leaves hands the
/// table to the next person; the last person who leaves cancels it. A private table from which the host removes a
/// person gets a new invitation code. During play you give up your own seat for
/// good, and a bot plays on; when the last person leaves, the game is abandoned.
#[utoipa::path(
    operation_id = "leaveSeat",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("seat" = u8, Path, description = "The seat.", minimum = 0, maximum = 4)
    ),
    responses((status = 200, description = "The seat is free."), CallerRefusals)
)]
#[delete("/v1/games/{id}/seats/{seat}")]
pub(super) async fn stand_up(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    path: web::Path<(GameId, u8)>,
) -> Result<Answer<GameView>, Problem> {
    let (id, place) = path.into_inner();
    table_command(&request, &app, &caller, id, &TableCommand::Leave { place }, None).await
}

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
