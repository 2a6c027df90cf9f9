//! `GET /v1/games/{id}/proof`.

use actix_web::{HttpRequest, HttpResponse, get, web};
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::{Answer, PlainText};
use crate::http::bearer::{OptionalBearer, token_missing};
use crate::http::problem::Problem;
use crate::http::public_log::TEXT;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

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
pub(super) async fn get_proof(
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
