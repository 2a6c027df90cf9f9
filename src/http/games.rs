//! `/v1/games`: opening, listing and showing games; starting, cancelling, handing over and playing again.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::http::header::HeaderValue;
use actix_web::{HttpRequest, get, post, put, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::answer::{Answer, Created};
use super::bearer::Bearer;
use super::body::Json;
use super::etag::{IfNoneMatchHeader, tagged_page, view_answer};
use super::field_errors::{Body, errors_of, text};
use super::idempotency::{OnceHeader, once_key};
use super::language::{Preferred, Translate};
use super::parameters::{PageSize, Query};
use super::problem::Problem;
use super::refusals::{CallerRefusals, WriteRefusals};
use estimation_service::auth::caller::Caller;
use estimation_service::base::field_error::FieldError;
use estimation_service::games::idempotency::Done;
use estimation_service::games::view::GameView;
use estimation_service::games::{GameList, GamesPage, NewTable};
use estimation_service::rulesets::agreement;
use estimation_service::rulesets::option_schemas::RequestedOptions;
use estimation_service::services::App;
use estimation_service::vocabulary::{ClientSeed, GameId, GameStatus, RulesetId, TableCommand, Visibility};

/// A request to open a table.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateGameRequest {
    /// The ruleset's id.
    #[schema(value_type = RulesetId)]
    ruleset: String,
    /// The options that differ from the ruleset's defaults, by name.
    #[serde(default)]
    #[schema(value_type = RequestedOptions)]
    options: BTreeMap<String, Value>,
    /// The number of players: 2–5 in `nineteen`, else 4. The default is 4.
    #[schema(minimum = 2, maximum = 5)]
    players: Option<u8>,
    /// Whether the lobby lists the table, or only its invitation code leads to it.
    #[serde(default = "public")]
    #[schema(default = "public")]
    visibility: Visibility,
    /// Whether accounts without a seat may watch a public game.
    #[serde(default = "yes")]
    #[schema(default = true)]
    spectators: bool,
    /// Seconds per turn; no clock if absent.
    #[schema(minimum = 10, maximum = 604800)]
    turn_seconds: Option<u32>,
    /// A seed that is public from now on. A commitment binds more: send it with `commitSeed` when the table is open.
    client_seed: Option<ClientSeed>,
}

impl Body for CreateGameRequest {
    fn faults(fields: &Map<String, Value>) -> Vec<FieldError> {
        table_faults(fields)
    }
}

/// The faults of the ruleset, players and options that a body has.
pub(super) fn table_faults(fields: &Map<String, Value>) -> Vec<FieldError> {
    let none = Map::new();
    let options = fields.get("options").and_then(Value::as_object).unwrap_or(&none);
    let players = fields.get("players").and_then(Value::as_u64).map(|players| players.min(255) as u8);
    let ruleset = text(fields, "ruleset");
    let faults = ruleset.and_then(|ruleset| agreement(ruleset, players, options).err());
    errors_of(&faults.unwrap_or_default())
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
    /// Only games in this status. Default: `lobby` for public games, all for your own.
    status: Option<GameStatus>,
    /// Only games of this ruleset.
    ruleset: Option<RulesetId>,
    /// Your own games, public and private, instead of the public ones.
    #[serde(default)]
    mine: bool,
    /// The `next_cursor` of the page before.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of games.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// A request to make another player the host.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HandOverRequest {
    /// The seat of the new host, who must be a person.
    #[schema(minimum = 0, maximum = 4)]
    seat: u8,
}

impl Body for HandOverRequest {}

/// Carries out a table command and answers with the view. `exchange` has refused keys where the operation takes none.
pub(super) async fn table_command(
    request: &HttpRequest,
    app: &Arc<App>,
    caller: &Caller,
    id: GameId,
    command: &TableCommand,
    join_code: Option<&str>,
) -> Result<Answer<GameView>, Problem> {
    let once = once_key(request)?;
    seated(request, app.games.at_table(caller, id, command, join_code, once.as_ref()).await?)
}

/// The answer to a table command.
pub(super) fn seated(request: &HttpRequest, done: Done<GameView>) -> Result<Answer<GameView>, Problem> {
    let replayed = done.replayed;
    Ok(view_answer(request, done.value)?.replayed(replayed))
}

/// Open a table
///
/// Opens a table with the caller as host in place 0, which is seat 0 unless the ruleset draws for seats.
/// The rules cannot be changed later. A host may have 20 tables in the lobby, or as many as the service allows:
/// one more is refused with `too-many-tables`, whose `limit` is the number. Games that have started and
/// matchmade tables do not count.
#[utoipa::path(
    operation_id = "createGame",
    tag = "games",
    params(OnceHeader),
    responses((status = 201, description = "The table is open."), WriteRefusals)
)]
#[post("/v1/games")]
pub(super) async fn create(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Json(new): Json<CreateGameRequest>,
) -> Result<Created<GameView>, Problem> {
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
    Ok(seated(&request, done)?.created(location))
}

/// List games
///
/// Public games, newest first, or your own. Items of your own games have what a home screen shows (`own`). The list shows at most 4 lobby tables of each host, the newest that
/// match.
#[utoipa::path(
    operation_id = "listGames",
    tag = "games",
    params(
        GamesQuery,
        IfNoneMatchHeader
    ),
    responses(
        (status = 200, description = "A page of games.",
            headers(("ETag" = String, description = "The entity tag of the page."))),
        (status = 304, description = "You have this page already."),
        CallerRefusals
    )
)]
#[get("/v1/games")]
pub(super) async fn list(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Preferred(language): Preferred,
    Query(query): Query<GamesQuery>,
) -> Result<Answer<GamesPage>, Problem> {
    let GamesQuery { status, ruleset, mine, cursor, limit } = query;
    let list = GameList { status, ruleset, mine, cursor, limit: limit.0 };
    let mut page = app.games.list(&caller, list).await?;
    language.games(&mut page);
    tagged_page(&request, language, &page)
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
        IfNoneMatchHeader
    ),
    responses(
        (status = 200, description = "The view.",
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
) -> Result<Answer<GameView>, Problem> {
    let game = app.games.view(&caller, *id).await?;
    view_answer(&request, game)
}

/// Start the game
///
/// The host starts the game; every seat must be taken. Players and client seeds are frozen with it. If players have
/// committed to seeds, the status stays `lobby` until they have opened them (`openSeed`).
#[utoipa::path(
    operation_id = "startGame",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        OnceHeader
    ),
    responses((status = 200, description = "The game has started."), CallerRefusals)
)]
#[post("/v1/games/{id}/start")]
pub(super) async fn start(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
) -> Result<Answer<GameView>, Problem> {
    table_command(&request, &app, &caller, *id, &TableCommand::Start, None).await
}

/// Cancel the game
///
/// The host cancels the game before its start.
#[utoipa::path(
    operation_id = "cancelGame",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        OnceHeader
    ),
    responses((status = 200, description = "The game is cancelled."), CallerRefusals)
)]
#[post("/v1/games/{id}/cancel")]
pub(super) async fn cancel(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
) -> Result<Answer<GameView>, Problem> {
    table_command(&request, &app, &caller, *id, &TableCommand::Cancel, None).await
}

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
pub(super) async fn hand_over(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Json(heir): Json<HandOverRequest>,
) -> Result<Answer<GameView>, Problem> {
    let command = TableCommand::HandOver { place: heir.seat };
    table_command(&request, &app, &caller, *id, &command, None).await
}

/// Play again
///
/// After a game, the first player who asks opens a new table with the same rules and bots, and becomes its
/// host. The other players of the game are invited on their account streams, and join with the same request.
#[utoipa::path(
    operation_id = "createRematch",
    tag = "games",
    params(
        ("id" = Uuid, Path, description = "The id of the game that is over."),
        OnceHeader
    ),
    responses((status = 200, description = "You sit at the table of the rematch."), CallerRefusals)
)]
#[post("/v1/games/{id}/rematch")]
pub(super) async fn rematch(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
) -> Result<Answer<GameView>, Problem> {
    let once = once_key(&request)?;
    seated(&request, app.games.rematch(&caller, *id, once.as_ref()).await?)
}
