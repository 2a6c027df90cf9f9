//! Games over HTTP: opening, listing, looking at them, and the lobby.

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, LOCATION};
use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::bearer::Bearer;
use super::body::Json;
use super::contract;
use super::entity::view_answer;
use super::field_errors::{Body, text};
use super::idempotency::{OnceHeader, mark, once_key};
use super::language::Language;
use super::parameters::{PageSize, Query};
use super::problem::Problem;
use super::refusals::{CallerRefusals, WriteRefusals};
use crate::app::failure::Failure;
use crate::app::games::view::GameView;
use crate::app::games::{GameList, NewTable};
use crate::app::idempotency::Done;
use crate::app::rulesets::agreement;
use crate::app::state::App;
use crate::app::vocabulary::{ClientSeed, RulesetId, Status, TableCommand, Visibility};

/// A new table.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewGame {
    /// The ruleset's id.
    #[schema(value_type = contract::RulesetId)]
    ruleset: String,
    /// The options that differ from the ruleset's defaults, by name.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, contract::OptionValue>)]
    options: BTreeMap<String, Value>,
    /// How many play: 2–5 in `nineteen`, else 4, which is also what it is if nothing is given.
    #[schema(minimum = 2, maximum = 5)]
    players: Option<u8>,
    /// Whether it is listed in the lobby, or open only to those with its invitation code.
    #[serde(default = "public")]
    #[schema(value_type = contract::Visibility, default = "public")]
    visibility: Visibility,
    /// Whether people who do not sit at the table may watch a public game.
    #[serde(default = "yes")]
    #[schema(default = true)]
    spectators: bool,
    /// Seconds a turn may take, 10 to 604,800; no clock if nothing is given.
    #[schema(minimum = 10, maximum = 604800)]
    turn_seconds: Option<u32>,
    /// Your part in the shuffles: 32–64 lower-case hexadecimal digits.
    #[schema(value_type = Option<String>, pattern = "^[0-9a-f]{32,64}$")]
    client_seed: Option<ClientSeed>,
}

impl Body for NewGame {
    fn faults(fields: &Map<String, Value>) -> Vec<Failure> {
        table_faults(fields)
    }
}

/// What is wrong with ruleset, players and options of a table, as far as they are given.
pub(super) fn table_faults(fields: &Map<String, Value>) -> Vec<Failure> {
    let none = Map::new();
    let options = fields.get("options").and_then(Value::as_object).unwrap_or(&none);
    let players = fields.get("players").and_then(Value::as_u64).map(|players| players.min(255) as u8);
    let ruleset = text(fields, "ruleset");
    ruleset.and_then(|ruleset| agreement(ruleset, players, options).err()).unwrap_or_default()
}

fn public() -> Visibility {
    Visibility::Public
}

fn yes() -> bool {
    true
}

/// Which games to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct GamesQuery {
    /// Only games in this status. Without it the public list shows games in the lobby, one's own all.
    #[param(value_type = Option<contract::GameStatus>)]
    status: Option<Status>,
    /// Only games of this ruleset.
    #[param(value_type = Option<contract::RulesetId>)]
    ruleset: Option<RulesetId>,
    /// One's own games, public and private, instead of the public ones.
    #[serde(default)]
    mine: bool,
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<contract::Cursor>)]
    cursor: Option<String>,
    /// How many games at most.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

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

/// The answer to a command about the table.
pub(super) fn seated(request: &HttpRequest, done: Done<GameView>) -> Result<HttpResponse, Problem> {
    let replayed = done.replayed;
    Ok(mark(view_answer(request, done.value)?, replayed))
}

/// Open a table
///
/// Opens a table with the caller as host in place 0, which is seat 0 unless the ruleset draws for seats.
/// What was agreed cannot be changed later. A host may have 20 tables in the lobby, unless the service is set up
/// otherwise: one more is refused with `too-many-tables`, whose `limit` is the number. Games that have begun and
/// tables of strangers do not count.
#[utoipa::path(
    operation_id = "createGame",
    tag = "games",
    params(OnceHeader),
    responses((status = 201, description = "The table is open.", body = contract::GameView), WriteRefusals)
)]
#[post("/v1/games")]
pub(super) async fn create(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Json(new): Json<NewGame>,
) -> Result<HttpResponse, Problem> {
    let table = NewTable {
        ruleset: new.ruleset,
        options: new.options,
        players: new.players,
        visibility: new.visibility,
        spectators: new.spectators,
        turn_seconds: new.turn_seconds,
        client_seed: new.client_seed,
    };
    let done = app.games.create(&caller, table, once_key(&request)?.as_ref()).await?;
    let location = format!("/v1/games/{}", done.value.id);
    let location = HeaderValue::from_str(&location).map_err(Problem::defect)?;
    let mut answer = seated(&request, done)?;
    *answer.status_mut() = StatusCode::CREATED;
    answer.headers_mut().insert(LOCATION, location);
    Ok(answer)
}

/// List games
///
/// Public games, newest first, or one's own. Of the public tables in the lobby at most 4 of each host are
/// listed, the newest that match.
#[utoipa::path(
    operation_id = "listGames",
    tag = "games",
    params(GamesQuery),
    responses((status = 200, description = "A page of games.", body = contract::GamePage), CallerRefusals)
)]
#[get("/v1/games")]
pub(super) async fn list(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    language: Language,
    Query(query): Query<GamesQuery>,
) -> Result<HttpResponse, Problem> {
    let GamesQuery { status, ruleset, mine, cursor, limit } = query;
    let list = GameList { status, ruleset, mine, cursor, limit: limit.0 };
    let mut page = app.games.list(&caller, list).await?;
    language.games(&mut page);
    Ok(language.mark(HttpResponse::Ok().json(page)))
}

/// Show a game
///
/// The game as the caller may see it, with everything needed to draw the table and, in `legal`, the exact
/// commands the caller may post now.
#[utoipa::path(
    operation_id = "getGame",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("If-None-Match" = Option<String>, Header, max_length = 1000,
            description = "The `ETag` of a view that you have already.")
    ),
    responses(
        (status = 200, description = "The view.", body = contract::GameView,
            headers(("ETag" = String, description = "The version, a dot, and a tag of what this caller sees."))),
        (status = 304, description = "You have this view already."),
        CallerRefusals
    )
)]
#[get("/v1/games/{id}")]
pub(super) async fn show(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let game = app.games.view(&caller, *id).await?;
    view_answer(&request, game)
}

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
    id: web::Path<Uuid>,
    Json(sitting): Json<Sitting>,
) -> Result<HttpResponse, Problem> {
    let command = TableCommand::Join { place: sitting.seat, client_seed: sitting.client_seed };
    let once = once_key(&request)?;
    let done =
        app.games.at_table(&caller, *id, &command, sitting.join_code.as_deref(), once.as_ref()).await?;
    seated(&request, done)
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
    path: web::Path<(Uuid, u8)>,
) -> Result<HttpResponse, Problem> {
    let (id, place) = path.into_inner();
    let done = app.games.at_table(&caller, id, &TableCommand::Leave { place }, None, None).await?;
    seated(&request, done)
}

/// Start the game
///
/// The host starts the game; every seat must be taken. Players and client seeds are frozen with it.
#[utoipa::path(
    operation_id = "startGame",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        OnceHeader
    ),
    responses((status = 200, description = "The game has started.", body = contract::GameView), CallerRefusals)
)]
#[post("/v1/games/{id}/start")]
pub(super) async fn start(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let once = once_key(&request)?;
    let done = app.games.at_table(&caller, *id, &TableCommand::Start, None, once.as_ref()).await?;
    seated(&request, done)
}

/// Cancel the game
///
/// The host calls the game off before its start.
#[utoipa::path(
    operation_id = "cancelGame",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        OnceHeader
    ),
    responses((status = 200, description = "The game is off.", body = contract::GameView), CallerRefusals)
)]
#[post("/v1/games/{id}/cancel")]
pub(super) async fn cancel(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let once = once_key(&request)?;
    let done = app.games.at_table(&caller, *id, &TableCommand::Cancel, None, once.as_ref()).await?;
    seated(&request, done)
}
