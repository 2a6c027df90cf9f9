//! `GET /v1/games/{id}/bundle`: all that is needed to verify a game, in one file.

use actix_web::{HttpRequest, get, web};
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::{Answer, Either, JsonLines};
use crate::http::bearer::{OptionalBearer, token_missing};
use crate::http::common::histories::{answer, pieces, wants_lines};
use crate::http::compression::PLAIN;
use crate::http::history_cache::Sent;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_record::verify::{End, EventLine, Header, Proofs};
use estimation_service::histories::Bundle;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

/// A bundle: the complete record of a game with the proofs that the public log has its start and its end.
#[derive(ToSchema)]
#[schema(as = Bundle)]
#[expect(dead_code, reason = "the answer is written piece by piece")]
pub(super) struct BundleDocument {
    /// The header of the history.
    header: Header,
    /// The events, in order.
    #[schema(max_items = 1000000)]
    events: Vec<EventLine>,
    /// The end of the history.
    end: End,
    /// The proofs, and the keys of the service.
    proofs: Proofs,
}

/// A bundle as lines of JSON: those of the history, then `{"proofs":…}`.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 0, max_length = 2147483647)]
#[expect(dead_code, reason = "the answer is written line by line")]
pub(super) struct BundleLines(String);

/// Get the bundle of a game
///
/// Returns one file with which anybody can verify a game that is over, without the service: its history, the proofs that the
/// public log has its start and its end with the cosignatures that there are, and the service's keys. The answer is
/// `not-logged` until a checkpoint has the end, which takes some seconds. Access is that of the history, and is recorded for
/// auditors as well. With `Accept: application/x-ndjson`, each piece is on its own line.
#[utoipa::path(
    operation_id = "getBundle",
    tag = "audit",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("Accept" = Option<String>, Header, max_length = 1000,
            description = "`application/x-ndjson` for one piece per line; otherwise one JSON object.")
    ),
    responses(
        (status = 200, description = "The bundle."),
        CallerRefusals
    ),
    security((), ("bearer" = []))
)]
#[get("/v1/games/{id}/bundle")]
pub(super) async fn get_bundle(
    request: HttpRequest,
    app: web::Data<App>,
    OptionalBearer(caller): OptionalBearer,
    id: web::Path<GameId>,
) -> Result<Either<Answer<BundleDocument>, Answer<BundleLines, JsonLines>>, Problem> {
    let lines = wants_lines(&request);
    let Bundle { history, proofs } = match caller {
        Some(caller) => app.records.bundle(&caller, *id).await?,
        None => app.records.public_bundle(*id).await?.ok_or_else(|| token_missing(&request))?,
    };
    // Its proofs change with each checkpoint, so it cannot be kept, and is too large to be compressed for each request.
    let sent = Sent::Streamed(pieces(history, Some(proofs), lines));
    Ok(match lines {
        true => Either::Right(answer(sent, None).header(PLAIN)),
        false => Either::Left(answer(sent, None).header(PLAIN)),
    })
}
