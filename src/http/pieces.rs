//! The bytes of a history on its way out: lines, or one object, written page by page.

use actix_web::web::Bytes;
use futures_util::stream::{Stream, unfold};
use serde::Serialize;

use super::problem::Problem;
use crate::app::failure::Failure;
use crate::app::histories::History;
use estimation_record::verify::{EventLine, Piece};

/// Where a history on its way out is.
enum Due {
    Begin(History),
    Events(History, bool),
    Nothing,
}

/// The bytes of a history: as lines, or as one object.
pub(super) fn pieces(history: History, lines: bool) -> impl Stream<Item = Result<Bytes, Failure>> {
    unfold(Due::Begin(history), move |due| async move {
        match due {
            Due::Begin(history) => {
                let header = history.header();
                let text = match lines {
                    true => line(&Piece::Header(header)),
                    false => json(&header).map(|header| format!("{{\"header\":{header},\"events\":[")),
                };
                Some((text.map(Bytes::from), Due::Events(history, true)))
            }
            Due::Events(mut history, first) => Some(match history.next().await {
                Err(failure) => (Err(failure), Due::Nothing),
                Ok(None) => {
                    let end = history.end();
                    let text = match lines {
                        true => line(&Piece::End(end)),
                        false => json(&end).map(|end| format!("],\"end\":{end}}}")),
                    };
                    (text.map(Bytes::from), Due::Nothing)
                }
                Ok(Some(events)) => (page(events, first, lines), Due::Events(history, false)),
            }),
            Due::Nothing => None,
        }
    })
}

/// A page of events: as lines, or as items of a list that may have begun.
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

/// An error inside a history can only end it: it is logged here.
pub(super) fn ended_early(failure: Failure) -> Problem {
    let problem = Problem::from(failure);
    tracing::warn!(code = problem.code.kind().code, cause = problem.cause, "a history ended early");
    problem
}
