//! Play over HTTP: commands, the log, the score sheet.

use std::sync::Arc;

use actix_web::http::header::{ETAG, HeaderName};
use actix_web::{HttpRequest, HttpResponse, get, post, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use super::bearer::{Bearer, Player};
use super::body::Json;
use super::contract;
use super::entity::{entity_tag, expected_version, versioned};
use super::field_errors::Body;
use super::idempotency::{OnceHeader, mark, once_key};
use super::language::Language;
use super::parameters::{EventHash, LogSeq, PageSize, Query, Wait, unreadable_path};
use super::problem::Problem;
use super::rate::Refusals;
use super::refusals::{CallerRefusals, WriteRefusals};
use crate::app::games::{LogPosition, Played, tag_of};
use crate::app::state::App;
use crate::app::vocabulary::Command;
use crate::auth::caller::Caller;

/// How long an answer seldom is longer than, so that its buffer need not grow.
const USUAL_LENGTH: usize = 6 * 1024;

const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The answer to a command, and the tag of the view in it: each is written once.
fn answered(request: &HttpRequest, played: &Played) -> Result<(Vec<u8>, String), serde_json::Error> {
    let mut body = Vec::with_capacity(USUAL_LENGTH);
    body.extend_from_slice(b"{\"version\":");
    serde_json::to_writer(&mut body, &played.version)?;
    body.extend_from_slice(b",\"events\":");
    serde_json::to_writer(&mut body, &played.events)?;
    body.extend_from_slice(b",\"game\":");
    let view = body.len();
    serde_json::to_writer(&mut body, &played.game)?;
    let head = tag_of(&played.game.head.hash.0);
    let at = LogPosition { seq: played.version, tag: Some(head) };
    let etag = entity_tag(request, at, &body[view..]);
    body.push(b'}');
    Ok((body, etag))
}

/// Which part of the log to read.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EventsQuery {
    /// Only events after this sequence number.
    #[serde(default)]
    #[param(value_type = u64, minimum = 0, maximum = 9007199254740991i64, default = 0)]
    after: LogSeq,
    /// The `hash` of the event `after`, or its first 16 digits or more. Where the log has another event there, or
    /// none, the answer is the problem `log-replaced`.
    #[serde(default)]
    #[param(value_type = Option<String>, min_length = 16, max_length = 64, pattern = "^[0-9a-f]{16,64}$")]
    hash: Option<EventHash>,
    /// How many events at most.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
    /// Seconds to wait until there is something, if there is nothing yet.
    #[serde(default)]
    #[param(value_type = u64, minimum = 0, maximum = 55, default = 0)]
    wait: Wait,
}

impl Body for Command {}

/// Play
///
/// Carries out a command. `legal` in the view lists exactly what may be posted. With `If-Match` the command
/// is meant for that version alone; without, it is applied to the present state.
#[utoipa::path(
    operation_id = "postCommand",
    tag = "play",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("If-Match" = Option<String>, Header,
            pattern = r#"^(\*|"[0-9]{1,15}(\.[0-9a-f]{16}){0,2}")$"#,
            description = "The `ETag` of the view the command is meant for; what counts is the number before the first dot, and the hash of the last event behind it."),
        OnceHeader,
        ("Prefer" = Option<String>, Header, max_length = 1000,
            description = "`return=minimal` for the version alone.")
    ),
    request_body = contract::Command,
    responses(
        (status = 200, description = "It was done: the events it caused and the view after them, or with `Prefer: return=minimal` the version alone.",
            body = contract::Played,
            headers(("ETag" = String, description = "The tag of the view after it."))),
        (status = 412, description = "The game has moved on.",
            content_type = "application/problem+json", body = contract::Problem),
        WriteRefusals
    )
)]
#[post("/v1/games/{id}/commands")]
pub(super) async fn command(
    request: HttpRequest,
    app: web::Data<App>,
    Player(caller): Player,
    id: web::Path<String>,
    language: Language,
    body: Result<Json<Command>, Problem>,
) -> Result<HttpResponse, Problem> {
    let refusals = Refusals::of(&request, &caller);
    let done = carry_out(&request, &app, &caller, &id, language, body, &refusals).await;
    done.map_err(|problem| refusals.answer(problem))
}

async fn carry_out(
    request: &HttpRequest,
    app: &Arc<App>,
    caller: &Caller,
    id: &str,
    language: Language,
    body: Result<Json<Command>, Problem>,
    refusals: &Refusals<'_>,
) -> Result<HttpResponse, Problem> {
    let id = id.parse().map_err(|_| unreadable_path(request))?;
    let Json(wanted) = body?;
    let expected = expected_version(request)?;
    let once = once_key(request)?;
    let brief = request.headers().get(PREFER).is_some_and(|value| value.as_bytes() == b"return=minimal");
    if brief {
        let done = app.games.play_briefly(caller, id, expected, &wanted, once.as_ref(), refusals).await?;
        let applied = ("preference-applied", "return=minimal");
        return Ok(mark(HttpResponse::Ok().insert_header(applied).json(done.value), done.replayed));
    }
    let mut done = app.games.play(caller, id, expected, &wanted, once.as_ref(), refusals).await?;
    language.view(&mut done.value.game);
    let (body, etag) = answered(request, &done.value).map_err(Problem::defect)?;
    let answer = HttpResponse::Ok().insert_header((ETAG, etag)).content_type("application/json").body(body);
    Ok(mark(language.mark(answer), done.replayed))
}

/// Read the log
///
/// The events of a game in order, as the caller may see them. With `wait` the answer is held back until
/// there is something.
#[utoipa::path(
    operation_id = "listEvents",
    tag = "play",
    params(("id" = Uuid, Path, description = "The game's id."), EventsQuery),
    responses((status = 200, description = "A page of events.", body = contract::EventPage), CallerRefusals)
)]
#[get("/v1/games/{id}/events")]
pub(super) async fn events(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
    Query(EventsQuery { after, hash, limit, wait }): Query<EventsQuery>,
) -> Result<HttpResponse, Problem> {
    let after = LogPosition { seq: after.0, tag: hash.map(|hash| hash.0) };
    let page = app.streams.await_events(&caller, *id, after, limit.0, wait.0).await?;
    Ok(HttpResponse::Ok().json(page))
}

/// Show the score sheet
///
/// Every finished round: per seat the call, the tricks, the points and the lines they are made of.
#[utoipa::path(
    operation_id = "getScores",
    tag = "play",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("If-None-Match" = Option<String>, Header, max_length = 1000,
            description = "The `ETag` of a sheet that you have already.")
    ),
    responses(
        (status = 200, description = "The score sheet.", body = contract::ScoreSheet,
            headers(("ETag" = String, description = "The version, a dot, and a tag of the sheet."))),
        (status = 304, description = "You have this sheet already."),
        CallerRefusals
    )
)]
#[get("/v1/games/{id}/scores")]
pub(super) async fn scores(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let sheet = app.games.scores(&caller, *id).await?;
    versioned(&request, sheet.version, &sheet)
}
