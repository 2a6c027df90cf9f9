//! `GET /v1/games/{id}/history`: the record of a game, written page by page, as lines or as one object.

use actix_web::http::header::{Accept, CONTENT_ENCODING, CONTENT_TYPE, Header};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, get, web};
use futures_util::StreamExt;
use futures_util::stream::{Stream, unfold};
use serde::Serialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::{Answer, Either, Form, JsonLines};
use crate::http::bearer::{OptionalBearer, token_missing};
use crate::http::compression::{Coding, PLAIN, encoding};
use crate::http::history_cache::{HistoryCache, Kept, Sent, whole};
use crate::http::large_answers::Compressors;
use crate::http::pieces::Pieces;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_record::verify;
use estimation_record::verify::{End, EventLine, Piece};
use estimation_service::base::failure::Failure;
use estimation_service::games::failure::GameFailure;
use estimation_service::histories::History;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

/// A history: the complete record of a game.
#[derive(ToSchema)]
#[schema(as = History)]
#[expect(dead_code, reason = "the answer is written piece by piece")]
pub(super) struct HistoryDocument {
    /// The header of the history.
    header: verify::Header,
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
    let lines = Accept::parse(&request)
        .is_ok_and(|accepted| accepted.iter().any(|range| range.item.essence_str() == JsonLines::MEDIA_TYPE));
    let history = match caller {
        Some(caller) => app.records.history(&caller, *id).await?,
        None => app.records.public_history(*id).await?.ok_or_else(|| token_missing(&request))?,
    };
    let signed = history.signed();
    let pieces = Box::pin(pieces(history, lines));
    let coding = Coding::named(encoding(request.headers()));
    let sent = match (signed, coding) {
        (Some(history), coding) => cache.kept(Kept { history, lines, coding }, pieces, &compressors).await?,
        (None, Some(_)) => whole(coding, pieces, &compressors).await?,
        (None, None) => Sent::Streamed(pieces),
    };
    Ok(if lines { Either::Right(answer(sent, coding)) } else { Either::Left(answer(sent, coding)) })
}

/// The answer with a history. A whole one is in the encoding of `coding`.
fn answer<T, F: Form>(sent: Sent, coding: Option<Coding>) -> Answer<T, F> {
    match sent {
        Sent::Whole(bytes) => {
            let mut answer = HttpResponse::build(F::STATUS);
            answer.insert_header((CONTENT_TYPE, F::MEDIA_TYPE));
            answer.insert_header((CONTENT_ENCODING, coding.map_or(PLAIN.1, Coding::name)));
            Answer::written(answer.body(Pieces(bytes)))
        }
        Sent::Streamed(pieces) => Answer::streamed(pieces.map(|piece| piece.map_err(ended_early))),
    }
}

/// The next part of a history.
enum Next {
    Begin(History),
    Events(History, bool),
    Done,
}

/// The bytes of a history, as lines or as one object.
fn pieces(history: History, lines: bool) -> impl Stream<Item = Result<Bytes, GameFailure>> {
    unfold(Next::Begin(history), move |next| async move {
        match next {
            Next::Begin(history) => {
                let header = history.header();
                let text = match lines {
                    true => line(&Piece::Header(header)),
                    false => json(&header).map(|header| format!("{{\"header\":{header},\"events\":[")),
                };
                Some((text.map(Bytes::from), Next::Events(history, true)))
            }
            Next::Events(mut history, first) => Some(match history.next().await {
                Err(failure) => (Err(failure), Next::Done),
                Ok(None) => {
                    let end = history.end();
                    let text = match lines {
                        true => line(&Piece::End(end)),
                        false => json(&end).map(|end| format!("],\"end\":{end}}}")),
                    };
                    (text.map(Bytes::from), Next::Done)
                }
                Ok(Some(events)) => (page(events, first, lines), Next::Events(history, false)),
            }),
            Next::Done => None,
        }
    })
}

/// A page of events, as lines or as items of a list. `first` marks the beginning of the list.
fn page(events: Vec<EventLine>, first: bool, lines: bool) -> Result<Bytes, GameFailure> {
    let mut text = String::new();
    let mut between = if first { "" } else { "," };
    for event in events {
        if lines {
            text += &line(&Piece::Event(event))?;
        } else {
            text += between;
            text += &json(&event)?;
            between = ",";
        }
    }
    Ok(Bytes::from(text))
}

fn line(piece: &Piece) -> Result<String, GameFailure> {
    json(piece).map(|text| text + "\n")
}

fn json(value: &impl Serialize) -> Result<String, GameFailure> {
    serde_json::to_string(value).map_err(|error| Failure::Defect(error.to_string()).into())
}

/// Logs an error inside a history. It can only end the answer.
fn ended_early(failure: GameFailure) -> Problem {
    let problem = Problem::from(failure);
    tracing::warn!(code = problem.code.kind().code, cause = problem.cause, "a history ended early");
    problem
}
