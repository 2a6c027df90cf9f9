//! `/v1/matchmaking`: the queue for a table with strangers.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::bearer::Bearer;
use super::body::Json;
use super::contract;
use super::field_errors::Body;
use super::games::table_faults;
use super::idempotency::{OnceHeader, mark, once_key};
use super::language::Language;
use super::problem::Problem;
use super::refusals::{CallerRefusals, WriteRefusals};
use crate::app::failure::Failure;
use crate::app::matchmaking::Wish;
use crate::app::services::App;
use crate::app::vocabulary::ClientSeed;

/// What to play with strangers.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"ruleset": "squares", "options": {"length": "mini"}, "fill_with_bots_after": 60}))]
pub(super) struct Seeking {
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
    /// After how many seconds bots may take the seats that are still empty; without it you wait for people
    /// alone.
    #[schema(minimum = 0, maximum = 86400)]
    fill_with_bots_after: Option<u32>,
    /// Your part in the shuffles: 32–64 lower-case hexadecimal digits.
    #[schema(value_type = Option<String>, pattern = "^[0-9a-f]{32,64}$")]
    client_seed: Option<ClientSeed>,
}

impl Body for Seeking {
    fn faults(fields: &Map<String, Value>) -> Vec<Failure> {
        table_faults(fields)
    }
}

/// Be seated with strangers
///
/// Gives you a seat at a public table with strangers who want the same: ruleset, options, number of players,
/// and whether bots may come. If there is none with room, one is opened. You wait at one table at a time. The
/// table starts by itself when it is full; its turns take 60 seconds at most. Where all have agreed to bots,
/// `steady` ones take the empty seats when the last of the times that were given is over. Follow
/// `GET /v1/me/stream` or the game to see it start.
#[utoipa::path(
    operation_id = "seekTable",
    tag = "matchmaking",
    params(OnceHeader),
    responses((status = 200, description = "You have a seat.", body = contract::Waiting), WriteRefusals)
)]
#[post("/v1/matchmaking")]
pub(super) async fn seek(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    language: Language,
    Json(seeking): Json<Seeking>,
) -> Result<HttpResponse, Problem> {
    let Seeking { ruleset, options, players, fill_with_bots_after, client_seed } = seeking;
    let wish = Wish { ruleset, options, players, fill_with_bots_after, client_seed };
    let mut done = app.matchmaking.seek_table(&caller, wish, once_key(&request)?.as_ref()).await?;
    language.waiting(&mut done.value);
    Ok(mark(language.mark(HttpResponse::Ok().json(&done.value)), done.replayed))
}

/// Show what you wait for
///
/// Whether you wait to be seated with strangers, at which table, since when, and when bots come.
#[utoipa::path(
    operation_id = "getSought",
    tag = "matchmaking",
    responses((status = 200, description = "What you wait for.", body = contract::Waiting), CallerRefusals)
)]
#[get("/v1/matchmaking")]
pub(super) async fn show(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let mut waiting = app.matchmaking.sought(&caller).await?;
    language.waiting(&mut waiting);
    Ok(language.mark(HttpResponse::Ok().json(waiting)))
}

/// Stop waiting
///
/// Gives up your seat among strangers before the game starts. If you do not wait, nothing happens. Once the
/// game has started it is refused: stand up from the table to forfeit.
#[utoipa::path(
    operation_id = "stopSeeking",
    tag = "matchmaking",
    responses((status = 204, description = "You do not wait any more."), CallerRefusals)
)]
#[delete("/v1/matchmaking")]
pub(super) async fn stop(app: web::Data<App>, Bearer(caller): Bearer) -> Result<HttpResponse, Problem> {
    app.matchmaking.stop_seeking(&caller).await?;
    Ok(HttpResponse::NoContent().finish())
}
