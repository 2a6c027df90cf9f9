//! `/v1/games`: opening, listing and showing games; starting, cancelling, handing over and playing again.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, LOCATION};
use actix_web::{HttpRequest, HttpResponse, get, post, put, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::bearer::Bearer;
use super::body::Json;
use super::contract;
use super::etag::view_answer;
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
use crate::app::services::App;
use crate::app::vocabulary::{ClientSeed, GameId, RulesetId, Status, TableCommand, Visibility};
use crate::auth::caller::Caller;

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

/// The faults of the ruleset, players and options that a body has.
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

/// A new host.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewHost {
    /// The seat of the person who is to be the host.
    #[schema(minimum = 0, maximum = 4)]
    seat: u8,
}

impl Body for NewHost {}

/// Carries out a table command and answers with the view. `exchange` has refused keys where the operation takes none.
pub(super) async fn table_command(
    request: &HttpRequest,
    app: &Arc<App>,
    caller: &Caller,
    id: GameId,
    command: &TableCommand,
    join_code: Option<&str>,
) -> Result<HttpResponse, Problem> {
    let once = once_key(request)?;
    seated(request, app.games.at_table(caller, id, command, join_code, once.as_ref()).await?)
}

/// The answer to a table command.
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
    id: web::Path<GameId>,
) -> Result<HttpResponse, Problem> {
    let game = app.games.view(&caller, *id).await?;
    view_answer(&request, game)
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
    id: web::Path<GameId>,
) -> Result<HttpResponse, Problem> {
    table_command(&request, &app, &caller, *id, &TableCommand::Start, None).await
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
    id: web::Path<GameId>,
) -> Result<HttpResponse, Problem> {
    table_command(&request, &app, &caller, *id, &TableCommand::Cancel, None).await
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
    id: web::Path<GameId>,
    Json(heir): Json<NewHost>,
) -> Result<HttpResponse, Problem> {
    let command = TableCommand::HandOver { place: heir.seat };
    table_command(&request, &app, &caller, *id, &command, None).await
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
    id: web::Path<GameId>,
) -> Result<HttpResponse, Problem> {
    let once = once_key(&request)?;
    seated(&request, app.games.rematch(&caller, *id, once.as_ref()).await?)
}
