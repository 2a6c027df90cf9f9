//! `GET /v1/games/{id}/proof`.

use actix_web::{HttpRequest, HttpResponse, get, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::Access;
use crate::http::answer::{Answer, PlainText};
use crate::http::bearer::{OptionalBearer, token_missing};
use crate::http::parameters::Query;
use crate::http::problem::Problem;
use crate::http::public_log::TEXT;
use crate::http::refusals::CallerRefusals;
use estimation_service::games::ProvenEntry;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

/// A proof file: text in the format c2sp.org/tlog-proof@v1.
#[derive(ToSchema)]
#[schema(value_type = String, as = GameProof, min_length = 1, max_length = 65536, pattern = "^c2sp\\.org/tlog-proof@v1\\n")]
#[expect(dead_code, reason = "the answer is the text of the file")]
pub(super) struct GameProof(String);

/// Which entry of a game a proof is about.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Entry {
    Start,
    End,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ProofQuery {
    /// The entry: the start or the end of the game. The end by default.
    #[param(inline)]
    entry: Option<Entry>,
}

/// Get a proof of a game
///
/// Returns the offline proof that the public log has the start or the end of the game: a file in the format
/// c2sp.org/tlog-proof@v1. Its `extra` is JSON with the entry of the log, and the salt that opens it if the game is private.
/// The start has a proof some seconds after it, while the game is played: keep it, because a later one does not show when the
/// start was logged. The answer is `not-logged` until a checkpoint has the entry, which takes some seconds. Everybody can read
/// the proofs of a public game, without an access token too, and the players of a private game can read those of theirs.
#[utoipa::path(
    operation_id = "getProof",
    tag = "audit",
    params(("id" = Uuid, Path, description = "The game's id."), ProofQuery),
    responses((status = 200, description = "The proof."), CallerRefusals),
    security((), ("bearer" = []))
)]
#[get("/v1/games/{id}/proof")]
pub(super) async fn get_proof(
    request: HttpRequest,
    app: web::Data<App>,
    OptionalBearer(caller): OptionalBearer,
    id: web::Path<GameId>,
    Query(query): Query<ProofQuery>,
) -> Result<Answer<GameProof, PlainText>, Problem> {
    let entry = match query.entry {
        Some(Entry::Start) => ProvenEntry::Start,
        Some(Entry::End) | None => ProvenEntry::End,
    };
    let text = match caller {
        Some(caller) => app.games.proof(&caller, *id, entry).await?,
        None => app.games.public_proof(*id, entry).await?.ok_or_else(|| token_missing(&request))?,
    };
    Ok(Answer::written(HttpResponse::Ok().insert_header(TEXT).body(text)))
}
