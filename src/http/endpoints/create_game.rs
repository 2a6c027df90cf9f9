//! `POST /v1/games`.

use std::collections::BTreeMap;

use actix_web::http::header::HeaderValue;
use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Created;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::common::tables::{seated, table_faults};
use crate::http::field_errors::Body;
use crate::http::idempotency::{OnceHeader, once_key};
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_service::base::field_error::FieldError;
use estimation_service::games::NewTable;
use estimation_service::games::view::GameView;
use estimation_service::rulesets::option_schemas::RequestedOptions;
use estimation_service::services::App;
use estimation_service::vocabulary::{BotLevel, Hex, RulesetId, Visibility};

pub(super) const ACCESS: Access = Access::Own;

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
    /// Whether the seated players may react (`react`).
    #[serde(default = "yes")]
    #[schema(default = true)]
    talk: bool,
    /// Seconds per turn; no clock if absent.
    #[schema(minimum = 10, maximum = 604800)]
    turn_seconds: Option<u32>,
    /// Seconds for opening the client seeds to which players committed: 15 up to `turn_seconds` if that is more, without
    /// a turn clock up to 86400. The default is the service's, usually 15.
    #[schema(minimum = 15, maximum = 604800)]
    opening_seconds: Option<u32>,
    /// Your commitment to a client seed: SHA-256 of its text. See `commitSeed`.
    seed_commitment: Option<Hex<32>>,
    /// Bots that take all other seats. The game then starts at once. With `seed_commitment`, the opening of your seed
    /// begins at once, and the game starts with `openSeed`.
    bots: Option<Bots>,
}

/// Bots at a new table.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Bots {
    /// Their level.
    level: BotLevel,
}

impl Body for CreateGameRequest {
    fn faults(fields: &Map<String, Value>) -> Vec<FieldError> {
        table_faults(fields)
    }
}

/// Open a table
///
/// Opens a table with the caller as host in place 0, which is seat 0 unless the ruleset draws for seats.
/// The rules cannot be changed later. With `bots`, one request opens, fills and starts a table. A host may have 20
/// tables in the lobby, or as many as the service allows: one more is refused with `too-many-tables`, whose `limit` is
/// the number. Games that have started and matchmade tables do not count.
#[utoipa::path(
    operation_id = "createGame",
    tag = "games",
    params(OnceHeader),
    responses((status = 201, description = "The table is open, or the game has started."), WriteRefusals)
)]
#[post("/v1/games")]
pub(super) async fn create_game(
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
        talk: new.talk,
        turn_seconds: new.turn_seconds,
        opening_seconds: new.opening_seconds,
        seed_commitment: new.seed_commitment,
        bots: new.bots.map(|bots| bots.level),
    };
    let done = app.games.create(&caller, table, once_key(&request)?.as_ref()).await?;
    let location = format!("/v1/games/{}", done.value.id);
    let location = HeaderValue::from_str(&location).map_err(Problem::defect)?;
    Ok(seated(&request, done)?.created(location))
}

fn public() -> Visibility {
    Visibility::Public
}

fn yes() -> bool {
    true
}
