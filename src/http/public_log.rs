//! `/log/…`: the public log, as C2SP specifies it (tlog-checkpoint, tlog-tiles), and the proof of a game. The paths below
//! `/log` are not in the OpenAPI document: their contract is that of C2SP.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::web::ServiceConfig;
use actix_web::{HttpRequest, HttpResponse, get, web};
use utoipa::ToSchema;

use super::answer::{Answer, PlainText};
use super::bearer::{OptionalBearer, token_missing};
use super::caching::{IMMUTABLE, PUBLIC};
use super::compression::PLAIN;
use super::problem::Problem;
use super::refusals::CallerRefusals;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;
use estimation_tlog::Resource;

/// Every path of this module that is not in the spec, for [`super::paths::Paths`].
pub(super) const PATHS: [&str; 1] = ["/log/{*path}"];

/// Adds the routes of the log.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(checkpoint).service(keys).service(resource);
}

const TEXT: (&str, &str) = ("content-type", "text/plain; charset=utf-8");

#[get("/log/checkpoint")]
async fn checkpoint(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    let note = app.public_log.checkpoint().await?.ok_or_else(Problem::no_such_path)?;
    Ok(HttpResponse::Ok().insert_header(TEXT).insert_header((CACHE_CONTROL, "no-store")).body(note))
}

/// The verifier keys of the log: that of its signatures, then that of its own cosignatures.
#[get("/log/key")]
async fn keys(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    let keys = app.public_log.verifiers().await?.ok_or_else(Problem::no_such_path)?;
    let text = format!("{}\n{}\n", keys.log, keys.cosigner);
    Ok(HttpResponse::Ok().insert_header(TEXT).insert_header(PUBLIC).body(text))
}

#[get("/log/{path:.*}")]
async fn resource(app: web::Data<App>, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let resource: Resource = path.parse().map_err(|_| Problem::no_such_path())?;
    let bytes = app.public_log.resource(resource).await?.ok_or_else(Problem::no_such_path)?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "application/octet-stream"))
        .insert_header((CACHE_CONTROL, IMMUTABLE))
        .insert_header(PLAIN)
        .body(bytes))
}

/// A proof file: text in the format c2sp.org/tlog-proof@v1.
#[derive(ToSchema)]
#[schema(value_type = String, as = GameProof, min_length = 1, max_length = 65536, pattern = "^c2sp\\.org/tlog-proof@v1\\n")]
#[expect(dead_code, reason = "the answer is the text of the file")]
pub(super) struct GameProof(String);

/// Get the proof of a game
///
/// Returns the offline proof that the public log has the end of the game: a file in the format c2sp.org/tlog-proof@v1.
/// Its `extra` is JSON with the entry of the log, and the salt that opens it if the game was private. The answer is
/// `game-not-over` until the log has the end, which takes some seconds. Everybody can read the proof of a public game, without
/// an access token too, and the players of a private game can read that of theirs.
#[utoipa::path(
    operation_id = "getProof",
    tag = "audit",
    params(("id" = Uuid, Path, description = "The game's id.")),
    responses((status = 200, description = "The proof."), CallerRefusals),
    security((), ("bearer" = []))
)]
#[get("/v1/games/{id}/proof")]
pub(super) async fn proof(
    request: HttpRequest,
    app: web::Data<App>,
    OptionalBearer(caller): OptionalBearer,
    id: web::Path<GameId>,
) -> Result<Answer<GameProof, PlainText>, Problem> {
    let text = match caller {
        Some(caller) => app.games.proof(&caller, *id).await?,
        None => app.games.public_proof(*id).await?.ok_or_else(|| token_missing(&request))?,
    };
    Ok(Answer::written(HttpResponse::Ok().insert_header(TEXT).body(text)))
}
