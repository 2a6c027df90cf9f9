//! Server-sent events.

use actix_web::http::header::{CACHE_CONTROL, HeaderName};
use futures_util::StreamExt;
use futures_util::stream::{Stream, unfold};
use serde::Serialize;

use crate::http::answer::{Answer, EventStream};
use crate::http::common::frame_encoding::FrameEncoder;
use crate::http::problem::Problem;
use estimation_service::base::failure::Failure;
use estimation_service::games::failure::GameFailure;
use estimation_service::games::viewer_text::{Frame, ViewerText};

pub(in crate::http) const NO_BUFFERING: (HeaderName, &str) =
    (HeaderName::from_static("x-accel-buffering"), "no");

/// The heartbeat: a comment, which clients ignore.
pub(in crate::http) const QUIET: &str = ": quiet\n\n";

/// Control frames have no id, except `reset`, after which the stream continues at another position.
pub(in crate::http) const RECONNECT: &str = "event: reconnect\ndata: {}\n\n";

/// Sends frames as they come.
pub(in crate::http) fn streaming<T>(
    frames: impl Stream<Item = Result<Vec<Frame>, GameFailure>> + 'static,
    encoder: FrameEncoder,
) -> Answer<T, EventStream> {
    let header = encoder.header();
    let pieces = unfold((Box::pin(frames), Some(encoder)), |(mut frames, encoder)| async {
        let mut encoder = encoder?;
        match frames.next().await {
            Some(Ok(group)) => Some((Ok(encoder.encode(&group)), (frames, Some(encoder)))),
            Some(Err(failure)) => Some((Err(ended_early(failure)), (frames, None))),
            None => encoder.finish().map(|end| (Ok(end), (frames, None))),
        }
    });
    Answer::events(pieces).header((CACHE_CONTROL, "no-store")).header(header).header(NO_BUFFERING)
}

/// Logs an error inside a stream. It can only end the stream.
pub(in crate::http) fn ended_early(failure: GameFailure) -> Problem {
    let problem = Problem::from(failure);
    tracing::warn!(code = problem.code.kind().code, cause = problem.cause, "a stream ended early");
    problem
}

/// A frame that all may see.
pub(in crate::http) fn frame(head: &str, data: &impl Serialize) -> Result<Frame, GameFailure> {
    let data = serde_json::to_string(data).map_err(|error| Failure::Defect(error.to_string()))?;
    Ok(framed(head, &ViewerText::public(data)))
}

/// A frame. Compact JSON has no line breaks, so it fits one line of data.
pub(in crate::http) fn framed(head: &str, data: &ViewerText) -> Frame {
    ViewerText::public(format!("{head}\ndata: ")).and(data).then("\n\n").into_frame()
}
