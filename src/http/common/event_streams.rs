//! Server-sent events.

use actix_web::http::header::{CACHE_CONTROL, HeaderName};
use actix_web::web::Bytes;
use futures_util::StreamExt;
use futures_util::stream::Stream;
use serde::Serialize;

use crate::http::answer::{Answer, EventStream};
use crate::http::problem::Problem;
use estimation_service::base::failure::Failure;
use estimation_service::games::failure::GameFailure;

pub(in crate::http) const NO_BUFFERING: (HeaderName, &str) =
    (HeaderName::from_static("x-accel-buffering"), "no");

/// The heartbeat: a comment, which clients ignore.
pub(in crate::http) const QUIET: &str = ": quiet\n\n";

/// Control frames have no id, except `reset`, after which the stream continues at another position.
pub(in crate::http) const RECONNECT: &str = "event: reconnect\ndata: {}\n\n";

/// Sends frames as they come. They are never compressed: their lengths would tell of the cards in them.
pub(in crate::http) fn streaming<T>(
    frames: impl Stream<Item = Result<Vec<Bytes>, GameFailure>> + 'static,
) -> Answer<T, EventStream> {
    let pieces = frames.map(|frames| frames.map(joined).map_err(ended_early));
    Answer::events(pieces).header((CACHE_CONTROL, "no-store")).uncompressed().header(NO_BUFFERING)
}

fn joined(frames: Vec<Bytes>) -> Bytes {
    match <[Bytes; 1]>::try_from(frames) {
        Ok([frame]) => frame,
        Err(frames) => frames.concat().into(),
    }
}

/// Logs an error inside a stream. It can only end the stream.
pub(in crate::http) fn ended_early(failure: GameFailure) -> Problem {
    let problem = Problem::from(failure);
    tracing::warn!(code = problem.code.kind().code, cause = problem.cause, "a stream ended early");
    problem
}

/// A frame with a value.
pub(in crate::http) fn frame(head: &str, data: &impl Serialize) -> Result<Bytes, GameFailure> {
    let data = serde_json::to_string(data).map_err(|error| Failure::Defect(error.to_string()))?;
    Ok(framed(head, &data))
}

/// A frame. Compact JSON has no line breaks, so it fits one line of data.
pub(in crate::http) fn framed(head: &str, data: &str) -> Bytes {
    format!("{head}\ndata: {data}\n\n").into()
}
