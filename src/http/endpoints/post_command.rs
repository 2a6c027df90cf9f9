//! `POST /v1/games/{id}/commands`.

use std::sync::Arc;

use actix_web::http::header::{ETag, EntityTag, HeaderName};
use actix_web::{HttpRequest, HttpResponse, post, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Player;
use crate::http::body::Json;
use crate::http::etag::{add_remaining_time, entity_tag, expected_version};
use crate::http::field_errors::Body;
use crate::http::idempotency::{OnceHeader, once_key};
use crate::http::language::{Language, Preferred, Translate};
use crate::http::parameters::unreadable_path;
use crate::http::problem::Problem;
use crate::http::rate::Refusals;
use crate::http::refusals::WriteRefusals;
use estimation_service::auth::caller::Caller;
use estimation_service::games::{LogPosition, Play, Played};
use estimation_service::services::App;
use estimation_service::vocabulary::Command;

pub(super) const ACCESS: Access = Access::Others;

/// Initial buffer sizes of answers, in bytes; most whole ones fit, and all minimal ones.
const USUAL_LENGTH: usize = 6 * 1024;
const MINIMAL_LENGTH: usize = 160;

const PREFER: HeaderName = HeaderName::from_static("prefer");

impl Body for Command {}

/// Play
///
/// Executes a command. `legal` in the view lists exactly the commands that are allowed. With `If-Match` the
/// command applies to that version only; without it, to the present state.
#[utoipa::path(
    operation_id = "postCommand",
    tag = "play",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("If-Match" = Option<String>, Header, max_length = 52,
            pattern = r#"^(\*|"[0-9]{1,16}\.[0-9a-f]{16}\.[0-9a-f]{16}")$"#,
            description = "The `ETag` of the view that the command is for. The server compares its first two parts: the version, and the beginning of the last event's hash."),
        OnceHeader,
        ("Prefer" = Option<String>, Header, max_length = 1000,
            description = "`return=minimal` for an answer with `version` and `head` alone.")
    ),
    request_body = Command,
    responses(
        (status = 200, description = "The command was executed.",
            headers(("ETag" = String, description = "The entity tag of the view."))),
        (status = 412, description = "The game has advanced.",
            content_type = "application/problem+json", body = Problem),
        WriteRefusals
    )
)]
#[post("/v1/games/{id}/commands")]
pub(super) async fn post_command(
    request: HttpRequest,
    app: web::Data<App>,
    Player(caller): Player,
    id: web::Path<String>,
    Preferred(language): Preferred,
    body: Result<Json<Command>, Problem>,
) -> Result<Answer<Played>, Problem> {
    let refusals = Refusals::of(&request, &caller);
    let done = carry_out(&request, &app, &caller, &id, language, body, &refusals).await;
    done.map_err(|problem| refusals.answer(problem))
}

/// The body of the answer, and the entity tag of the view in it. The view is serialised once.
fn answered(
    request: &HttpRequest,
    played: &mut Played,
) -> Result<(Vec<u8>, Option<EntityTag>), serde_json::Error> {
    let mut body = Vec::with_capacity(if played.game.is_some() { USUAL_LENGTH } else { MINIMAL_LENGTH });
    body.extend_from_slice(b"{\"version\":");
    serde_json::to_writer(&mut body, &played.version)?;
    let mut etag = None;
    body.extend_from_slice(b",\"head\":");
    serde_json::to_writer(&mut body, &played.head)?;
    if let (Some(events), Some(game)) = (&played.events, &mut played.game) {
        body.extend_from_slice(b",\"events\":");
        serde_json::to_writer(&mut body, events)?;
        body.extend_from_slice(b",\"game\":");
        let (view, remaining_ms) = (body.len(), game.remaining_ms.take());
        serde_json::to_writer(&mut body, game)?;
        let at = LogPosition::of(played.version, &game.head.hash.0);
        etag = Some(entity_tag(request, at, &body[view..]));
        add_remaining_time(&mut body, remaining_ms);
    }
    body.push(b'}');
    Ok((body, etag))
}

async fn carry_out(
    request: &HttpRequest,
    app: &Arc<App>,
    caller: &Caller,
    id: &str,
    language: Language,
    body: Result<Json<Command>, Problem>,
    refusals: &Refusals<'_>,
) -> Result<Answer<Played>, Problem> {
    let game = id.parse().map_err(|_| unreadable_path(request))?;
    let Json(wanted) = body?;
    let expected = expected_version(request)?;
    let key = once_key(request)?;
    let play = Play { caller, game, expected, command: &wanted, key: key.as_ref(), refusals };
    let brief = request.headers().get(PREFER).is_some_and(|value| value.as_bytes() == b"return=minimal");
    let mut done = app.games.play(&play, brief).await?;
    if let Some(game) = &mut done.value.game {
        language.view(game);
    }
    let (body, etag) = answered(request, &mut done.value).map_err(Problem::defect)?;
    let mut answer = HttpResponse::Ok();
    answer.content_type("application/json");
    match etag {
        Some(etag) => answer.insert_header(ETag(etag)),
        None => answer.insert_header(("preference-applied", "return=minimal")),
    };
    let answer = Answer::written(answer.body(body)).replayed(done.replayed);
    Ok(if brief { answer } else { answer.in_language(language) })
}
