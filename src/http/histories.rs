//! Histories as bytes, page by page, as lines or as one object; alone, or with the proofs of a bundle.

use actix_web::http::header::{Accept, CONTENT_ENCODING, CONTENT_TYPE, Header as _};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use futures_util::stream::unfold;
use serde::Serialize;
use utoipa::IntoParams;

use super::answer::{Answer, Form, JsonLines};
use super::compression::{Coding, PLAIN};
use super::history_cache::{HistoryBody, Pieces};
use super::static_body::SizedPieces;
use estimation_record::verify::{EventLine, Piece, Proofs};
use estimation_service::base::failure::Failure;
use estimation_service::histories::History;

/// The header `Accept` as the spec describes it.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "what arrives is read by wants_lines")]
pub(super) struct LinesHeader {
    /// `application/x-ndjson` for one piece per line; otherwise one JSON object.
    #[param(rename = "Accept", max_length = 1000)]
    accept: Option<String>,
}

/// Whether a client asks for a piece on each line, and not for one object.
pub(super) fn wants_lines(request: &HttpRequest) -> bool {
    Accept::parse(request)
        .is_ok_and(|accepted| accepted.iter().any(|range| range.item.essence_str() == JsonLines::MEDIA_TYPE))
}

/// The answer with a history. A whole one is in the encoding of `coding`.
pub(super) fn answer<T, F: Form>(sent: HistoryBody, coding: Option<Coding>) -> Answer<T, F> {
    match sent {
        HistoryBody::Whole(bytes) => {
            let mut answer = HttpResponse::build(F::STATUS);
            answer.insert_header((CONTENT_TYPE, F::MEDIA_TYPE));
            answer.insert_header((CONTENT_ENCODING, coding.map_or(PLAIN.1, Coding::name)));
            Answer::written(answer.body(SizedPieces(bytes)))
        }
        HistoryBody::Streamed(pieces) => Answer::streamed(pieces),
    }
}

/// The next part of a history.
enum Next {
    Begin(History, Option<Proofs>),
    Events { history: History, proofs: Option<Proofs>, is_first: bool },
    Done,
}

/// The bytes of a history, as lines or as one object, with the proofs if it is a bundle.
pub(super) fn pieces(history: History, proofs: Option<Proofs>, lines: bool) -> Pieces {
    Box::pin(unfold(Next::Begin(history, proofs), move |next| async move {
        match next {
            Next::Begin(history, proofs) => {
                let header = history.header();
                let text = match lines {
                    true => line(&Piece::Header(header)),
                    false => json(&header).map(|header| format!("{{\"header\":{header},\"events\":[")),
                };
                Some((text.map(Bytes::from), Next::Events { history, proofs, is_first: true }))
            }
            Next::Events { mut history, proofs, is_first } => Some(match history.next().await {
                Err(failure) => (Err(failure), Next::Done),
                Ok(None) => (ending(&history, proofs, lines).map(Bytes::from), Next::Done),
                Ok(Some(events)) => {
                    (page(events, is_first, lines), Next::Events { history, proofs, is_first: false })
                }
            }),
            Next::Done => None,
        }
    }))
}

/// What follows the events.
fn ending(history: &History, proofs: Option<Proofs>, lines: bool) -> Result<String, Failure> {
    let end = history.end();
    let mut text = match lines {
        true => line(&Piece::End(end))?,
        false => format!("],\"end\":{}", json(&end)?),
    };
    match proofs {
        Some(proofs) if lines => text += &line(&Piece::Proofs(proofs))?,
        Some(proofs) => text += &format!(",\"proofs\":{}", json(&proofs)?),
        None => {}
    }
    if !lines {
        text.push('}');
    }
    Ok(text)
}

/// A page of events, as lines or as items of a list. `first` marks the beginning of the list.
fn page(events: Vec<EventLine>, first: bool, lines: bool) -> Result<Bytes, Failure> {
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

fn line(piece: &Piece) -> Result<String, Failure> {
    json(piece).map(|text| text + "\n")
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::Defect(error.to_string()))
}
