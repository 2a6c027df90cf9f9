//! `GET /v1/games/{id}/stream`.

use std::sync::Arc;

use actix_web::http::header::HeaderName;
use actix_web::{HttpRequest, get, web};
use futures_util::stream::{Stream, unfold};
use serde::Serialize;

use super::Access;
use crate::http::answer::{Answer, Either, EventStream, NoContent};
use crate::http::bearer::Bearer;
use crate::http::common::event_streams::{QUIET, RECONNECT, frame, framed, streaming};
use crate::http::common::frame_encoding::CompressedStreams;
use crate::http::contract::EventFrames;
use crate::http::language::Preferred;
use crate::http::problem::{Problem, ProblemCode};
use crate::http::refusals::CallerRefusals;
use estimation_service::base::failure::Failure;
use estimation_service::games::LogPosition;
use estimation_service::games::events::PublishedEvent;
use estimation_service::games::failure::GameFailure;
use estimation_service::games::turn::ViewerTurn;
use estimation_service::games::view::HeadView;
use estimation_service::games::viewer_text::{Frame, ViewerText};
use estimation_service::services::App;
use estimation_service::talk::TableReaction;
use estimation_service::vocabulary::GameId;
use estimation_service::watch::{GameNews, GameStream};

pub(super) const ACCESS: Access = Access::Others;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

const END: &str = "event: end\ndata: {}\n\n";

/// Stream a game
///
/// Sends the events of a game as server-sent events. `id` is the sequence number, a hyphen and the first 16 digits of
/// the event's hash. `data` is a `GameMessage`: an event as in the log. `Last-Event-ID` resumes after the event with that
/// id. Begin at the `head` of a view: its `seq`, a hyphen and the first 16 digits of its `hash`.
///
/// The last event of a command has the `turn` after it: who is awaited, until when, the commands that you may post, and
/// the parts of the view that the events changed. So keep the view that you have, and post commands
/// with `Prefer: return=minimal`. If several commands come together, the newest event alone has a turn. The events that you
/// missed have none: after them comes `event: turn`, without `id`, with all parts, unless the game is over. Ignore a turn of
/// an earlier version than yours. Load the view for what no turn has: a new invitation code, and the end of a game that you
/// missed.
///
/// `event: reset` means that the log does not have that event, because the database was restored from an earlier
/// state. Its `id` and `data` give the end of the log; load the game again. `event: end` means that the game is over
/// and you have received all events. `event: reconnect` means that the node is stopping. The server sends a comment
/// every 15 seconds as a heartbeat.
///
/// `event: reaction`, without `id`, tells what a seated player said at the table (`react`). `data` is a `TableReaction`. Show it
/// for some seconds. Reactions that you missed do not come again.
///
/// For clients that accept gzip the stream is compressed, and each message arrives at once. Spaces in a message, after own
/// cards and legal plays, keep its length from telling of a hand.
///
/// If the game is over and no events are left to send, the answer is 204. A stream ends with the session that opened
/// it.
#[utoipa::path(
    operation_id = "streamGame",
    tag = "play",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("Last-Event-ID" = Option<String>, Header, pattern = "^(0|[0-9]{1,16}-[0-9a-f]{16})$", max_length = 33,
            description = "The `id` of the frame to resume after, or `0` for the beginning of the log.")
    ),
    responses(
        (status = 200, description = "The stream."),
        (status = 204, description = "The game is over, and no events are left to send."),
        CallerRefusals
    )
)]
#[get("/v1/games/{id}/stream")]
pub(super) async fn stream_game(
    request: HttpRequest,
    app: web::Data<App>,
    compressed: web::Data<CompressedStreams>,
    Bearer(caller): Bearer,
    Preferred(language): Preferred,
    id: web::Path<GameId>,
) -> Result<Either<Answer<EventFrames, EventStream>, NoContent>, Problem> {
    let after = resume_after(&request)?;
    let stream = app.streams.stream_game(&caller, *id, after, language).await?;
    if stream.is_over() {
        return Ok(Either::Right(NoContent));
    }
    let encoder = compressed.encoder(&request);
    Ok(Either::Left(streaming(game_frames(stream), encoder).in_language(language)))
}

fn resume_after(request: &HttpRequest) -> Result<LogPosition, Problem> {
    let Some(value) = request.headers().get(LAST_EVENT_ID) else { return Ok(LogPosition::default()) };
    let position = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    position.ok_or_else(|| {
        let code = ProblemCode::MalformedHeader { header: "Last-Event-ID" };
        Problem::new(code, "Last-Event-ID is the id of a frame, or 0 for the beginning.")
    })
}

/// The frames of a game, until it is over or the node stops. A failure ends the stream, and the answer to the client's
/// next attempt has the reason.
fn game_frames(stream: GameStream) -> impl Stream<Item = Result<Vec<Frame>, GameFailure>> {
    unfold(Some(stream), |stream| async {
        let mut stream = stream?;
        Some(match stream.next().await {
            Ok(GameNews::Events(events, turn)) => (events_frames(&events, turn.as_ref()), Some(stream)),
            Ok(GameNews::Turn(turn)) => (Ok(vec![turn_frame(&turn)]), Some(stream)),
            Ok(GameNews::Reactions(heard)) => (reaction_frames(&heard), Some(stream)),
            Ok(GameNews::Reset(head)) => (reset_frame(head).map(|frame| vec![frame]), Some(stream)),
            Ok(GameNews::Quiet) => (Ok(vec![QUIET.into()]), Some(stream)),
            Ok(GameNews::Reconnect) => (Ok(vec![RECONNECT.into()]), None),
            Ok(GameNews::End) => (Ok(vec![END.into()]), None),
            Ok(GameNews::SessionEnded) => return None,
            Err(failure) => (Err(failure), None),
        })
    })
}

/// The frames of events; the last one has the turn, if there is one.
fn events_frames(
    events: &[Arc<PublishedEvent>],
    turn: Option<&ViewerTurn>,
) -> Result<Vec<Frame>, GameFailure> {
    let frames = events.iter().enumerate().map(|(index, event)| match turn {
        Some(turn) if index + 1 == events.len() => turn_event_frame(event, turn),
        _ => event.frame(event_frame),
    });
    let frames: Result<Vec<Frame>, _> = frames.collect();
    frames.map_err(|error| Failure::Defect(error.to_string()).into())
}

fn turn_event_frame(event: &PublishedEvent, turn: &ViewerTurn) -> serde_json::Result<Frame> {
    let write = |turn: &ViewerText| Ok(event_frame(event.position(), &event.json_with(turn)?));
    if event.is_shared() { turn.frame(write) } else { write(&turn.json()) }
}

/// The frame of a turn. It has no id, because the stream continues after the last event.
fn turn_frame(turn: &ViewerTurn) -> Frame {
    framed("event: turn", &turn.json())
}

fn event_frame(id: LogPosition, event: &ViewerText) -> Frame {
    framed(&format!("id: {id}"), event)
}

/// The position at which the stream continues when the log no longer has the client's last event.
#[derive(Serialize)]
struct Reset {
    version: u64,
    head: HeadView,
}

/// The frames of what players said. They have no id, because the log does not have them.
fn reaction_frames(heard: &[TableReaction]) -> Result<Vec<Frame>, GameFailure> {
    heard.iter().map(|reaction| frame("event: reaction", reaction)).collect()
}

fn reset_frame(head: HeadView) -> Result<Frame, GameFailure> {
    let position = LogPosition::of(head.seq, &head.hash.0);
    frame(&format!("event: reset\nid: {position}"), &Reset { version: head.seq, head })
}
