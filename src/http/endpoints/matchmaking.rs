//! The queue for a table with strangers.

use std::collections::BTreeMap;

use actix_web::web::Data;
use actix_web::{HttpRequest, delete, get, post};
use garde::Validate;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::http::answer::{Answer, EmptyReply, NoContent, Reply};
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::idempotency::{OnceHeader, once_key};
use crate::http::language::{PreferredLanguage, Translate};
use estimation_service::matchmaking::{Waiting, Wish};
use estimation_service::rulesets::option_schemas::{self, RequestedOptions};
use estimation_service::services::App;
use estimation_service::vocabulary::{Hex, RulesetId};

/// A request to join the matchmaking queue.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"ruleset": "squares", "options": {"length": "mini"}, "fill_with_bots_after": 60}))]
#[garde(allow_unvalidated)]
pub(super) struct JoinQueueRequest {
    /// The ruleset's id.
    #[schema(value_type = RulesetId)]
    ruleset: String,
    /// The options that differ from the ruleset's defaults, by name.
    #[serde(default, deserialize_with = "option_schemas::requested")]
    #[schema(value_type = RequestedOptions)]
    options: BTreeMap<String, Value>,
    /// The number of players: 2–5 in `nineteen`, 4 in every other ruleset. Default: 4.
    #[schema(minimum = 2, maximum = 5)]
    players: Option<u8>,
    /// The number of seconds after which bots may take the empty seats. If absent, the server seats no bots at your
    /// table.
    #[schema(minimum = 0, maximum = 86400)]
    fill_with_bots_after: Option<u32>,
    /// Your commitment to a client seed: SHA-256 of its text. See `commitSeed`. A player who does not open the seed in
    /// time loses the seat.
    seed_commitment: Option<Hex<32>>,
}

/// Join the matchmaking queue
///
/// Gives you a seat at a public table with other players who want the same game: the same ruleset, options and number
/// of players. If no such table has an empty seat, the server opens one. Players who accept bots share a table with
/// players who do not only if they fill it. You can wait at one table at a time. The table starts automatically when it
/// is full. Its turns take at most 60 seconds. If all players have agreed to bots, `steady` bots take the empty seats
/// when every player's `fill_with_bots_after` has passed. Follow `GET /v1/me/stream` or the game to see it start. If
/// players wait for the same game at two tables, the server moves them to one: `GET /v1/matchmaking` names your table.
/// A player who misses several openings of client seeds is barred for a while (`openings-missed`).
#[utoipa::path(params(OnceHeader))]
#[post("/v1/matchmaking")]
pub(super) async fn join_queue(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    PreferredLanguage(language): PreferredLanguage,
    Json(seeking): Json<JoinQueueRequest>,
) -> Reply<Waiting> {
    let JoinQueueRequest { ruleset, options, players, fill_with_bots_after, seed_commitment } = seeking;
    let wish = Wish { ruleset, options, players, fill_with_bots_after, seed_commitment };
    let mut done = app.matchmaking.seek_table(&caller, wish, once_key(&request)?.as_ref()).await?;
    language.waiting(&mut done.value);
    Ok(Answer::json(&done.value).in_language(language).replayed(done.replayed))
}

/// Show your queue entry
///
/// Returns whether you are in the matchmaking queue, at which table, since when, and when bots take the empty seats.
#[utoipa::path]
#[get("/v1/matchmaking")]
pub(super) async fn get_queue_entry(
    app: Data<App>,
    Bearer(caller): Bearer,
    PreferredLanguage(language): PreferredLanguage,
) -> Reply<Waiting> {
    let mut waiting = app.matchmaking.sought(&caller).await?;
    language.waiting(&mut waiting);
    Ok(Answer::json(&waiting).in_language(language))
}

/// Leave the matchmaking queue
///
/// Gives up your seat at the matchmade table before the game starts. If you are not in the queue, nothing happens.
/// After the start, the server refuses the request: stand up from the table to forfeit.
#[utoipa::path]
#[delete("/v1/matchmaking")]
pub(super) async fn leave_queue(app: Data<App>, Bearer(caller): Bearer) -> EmptyReply {
    app.matchmaking.stop_seeking(&caller).await?;
    Ok(NoContent)
}
