//! `GET /v1/games/{id}/history`: the record of a game, written page by page, as lines or as one object.

use actix_web::{HttpRequest, get, web};
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::{Answer, Either, JsonLines};
use crate::http::bearer::{OptionalBearer, token_missing};
use crate::http::common::histories::{answer, pieces, wants_lines};
use crate::http::compression::{Coding, encoding};
use crate::http::history_cache::{HistoryCache, Kept, Sent, whole};
use crate::http::large_answers::Compressors;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_record::verify::{End, EventLine, Header};
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

/// A history: the complete record of a game.
#[derive(ToSchema)]
#[schema(as = History)]
#[expect(dead_code, reason = "the answer is written piece by piece")]
pub(super) struct HistoryDocument {
    /// The header of the history.
    header: Header,
    /// The events, in order.
    #[schema(max_items = 1000000)]
    events: Vec<EventLine>,
    /// The end of the history.
    end: End,
}

/// A history as lines of JSON: `{"header":…}`, then `{"event":…}` for every event, then `{"end":…}`.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 0, max_length = 2147483647)]
#[expect(dead_code, reason = "the answer is written line by line")]
pub(super) struct HistoryLines(String);

/// Get the history of a game
///
/// Returns the whole record, with every event as it is stored, so that you can verify it. After the end of the game,
/// players who had a seat in it and auditors can read it; if the game was public, everyone can, without an access token
/// too. While the game runs, only auditors can read it, up to the last finished round. If only the auditor role allowed the access, the
/// server records it, lists it for the players in `GET /v1/games/{id}/audit-accesses`, and bars the auditor from
/// playing in the game. With `Accept: application/x-ndjson`, each piece is on its own line.
#[utoipa::path(
    operation_id = "getHistory",
    tag = "audit",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("Accept" = Option<String>, Header, max_length = 1000,
            description = "`application/x-ndjson` for one piece per line; otherwise one JSON object.")
    ),
    responses(
        (status = 200, description = "The history."),
        CallerRefusals
    ),
    security((), ("bearer" = []))
)]
#[get("/v1/games/{id}/history")]
pub(super) async fn get_history(
    request: HttpRequest,
    app: web::Data<App>,
    cache: web::Data<HistoryCache>,
    compressors: web::Data<Compressors>,
    OptionalBearer(caller): OptionalBearer,
    id: web::Path<GameId>,
) -> Result<Either<Answer<HistoryDocument>, Answer<HistoryLines, JsonLines>>, Problem> {
    let lines = wants_lines(&request);
    let history = match caller {
        Some(caller) => app.records.history(&caller, *id).await?,
        None => app.records.public_history(*id).await?.ok_or_else(|| token_missing(&request))?,
    };
    let signed = history.signed();
    let pieces = pieces(history, None, lines);
    let coding = Coding::named(encoding(request.headers()));
    let sent = match (signed, coding) {
        (Some(history), coding) => cache.kept(Kept { history, lines, coding }, pieces, &compressors).await?,
        (None, Some(_)) => whole(coding, pieces, &compressors).await?,
        (None, None) => Sent::Streamed(pieces),
    };
    Ok(if lines { Either::Right(answer(sent, coding)) } else { Either::Left(answer(sent, coding)) })
}
