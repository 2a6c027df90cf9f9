//! `/v1/games/{id}/commands`: a player's command.

use std::sync::Arc;

use actix_web::http::header::{ETag, EntityTag, HeaderName};
use actix_web::{HttpRequest, HttpResponse, post, web};

use super::bearer::Player;
use super::body::Json;
use super::contract;
use super::etag::{entity_tag, expected_version};
use super::field_errors::Body;
use super::idempotency::{OnceHeader, mark, once_key};
use super::language::Language;
use super::parameters::unreadable_path;
use super::problem::Problem;
use super::rate::Refusals;
use super::refusals::WriteRefusals;
use crate::app::games::{LogPosition, Play, Played};
use crate::app::services::App;
use crate::app::vocabulary::Command;
use crate::auth::caller::Caller;

/// Initial buffer size, in bytes; most answers fit.
const USUAL_LENGTH: usize = 6 * 1024;

const PREFER: HeaderName = HeaderName::from_static("prefer");

impl Body for Command {}

/// The body of the answer, and the entity tag of the view in it. The view is serialised once.
fn answered(request: &HttpRequest, played: &Played) -> Result<(Vec<u8>, EntityTag), serde_json::Error> {
    let mut body = Vec::with_capacity(USUAL_LENGTH);
    body.extend_from_slice(b"{\"version\":");
    serde_json::to_writer(&mut body, &played.version)?;
    body.extend_from_slice(b",\"events\":");
    serde_json::to_writer(&mut body, &played.events)?;
    body.extend_from_slice(b",\"game\":");
    let view = body.len();
    serde_json::to_writer(&mut body, &played.game)?;
    let at = LogPosition::of(played.version, &played.game.head.hash.0);
    let etag = entity_tag(request, at, &body[view..]);
    body.push(b'}');
    Ok((body, etag))
}

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
    let game = id.parse().map_err(|_| unreadable_path(request))?;
    let Json(wanted) = body?;
    let expected = expected_version(request)?;
    let key = once_key(request)?;
    let play = Play { caller, game, expected, command: &wanted, key: key.as_ref(), refusals };
    let brief = request.headers().get(PREFER).is_some_and(|value| value.as_bytes() == b"return=minimal");
    if brief {
        let done = app.games.play_briefly(&play).await?;
        let applied = ("preference-applied", "return=minimal");
        return Ok(mark(HttpResponse::Ok().insert_header(applied).json(done.value), done.replayed));
    }
    let mut done = app.games.play(&play).await?;
    language.view(&mut done.value.game);
    let (body, etag) = answered(request, &done.value).map_err(Problem::defect)?;
    let answer = HttpResponse::Ok().insert_header(ETag(etag)).content_type("application/json").body(body);
    Ok(mark(language.mark(answer), done.replayed))
}
