//! `/v1/games/{id}/stream` and `/v1/me/stream`: server-sent events of a game and of an account.

use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, HeaderName};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, get, web};
use futures_util::StreamExt;
use futures_util::stream::{Stream, unfold};
use serde::Serialize;

use super::answer::{Answer, Either, EventStream, NoContent};
use super::bearer::Bearer;
use super::compression::PLAIN;
use super::contract::{AccountFrames, EventFrames};
use super::problem::{Problem, ProblemCode};
use super::refusals::CallerRefusals;
use estimation_service::base::failure::Failure;
use estimation_service::games::LogPosition;
use estimation_service::games::events::PublishedEvent;
use estimation_service::games::failure::GameFailure;
use estimation_service::games::view::HeadView;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;
use estimation_service::watch::{AccountNews, AccountStream, GameNews, GameStream};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const NO_BUFFERING: (HeaderName, &str) = (HeaderName::from_static("x-accel-buffering"), "no");

/// The heartbeat: a comment, which clients ignore.
const QUIET: &str = ": quiet\n\n";
/// Control frames have no id, except `reset`, after which the stream continues at another position.
const RECONNECT: &str = "event: reconnect\ndata: {}\n\n";
const END: &str = "event: end\ndata: {}\n\n";

/// Stream a game
///
/// Sends the events of a game as server-sent events. `id` is the sequence number, a hyphen and the first 16 digits of
/// the event's hash. `data` is an event as in the log. `Last-Event-ID` resumes after the event with that id.
///
/// `event: reset` means that the log does not have that event, because the database was restored from an earlier
/// state. Its `id` and `data` give the end of the log; load the game again. `event: end` means that the game is over
/// and you have received all events. `event: reconnect` means that the node is stopping. The server sends a comment
/// every 15 seconds as a heartbeat.
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
pub(super) async fn game(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
) -> Result<Either<Answer<EventFrames, EventStream>, NoContent>, Problem> {
    let after = resume_after(&request)?;
    let stream = app.streams.stream_game(&caller, *id, after).await?;
    if stream.is_over() {
        return Ok(Either::Right(NoContent));
    }
    Ok(Either::Left(streaming(game_frames(stream))))
}

/// Stream your games
///
/// Sends server-sent events about all of your games: `your_turn`, `invited`, `started` and `finished`. Each has the
/// game, its version and its status. The stream starts with the games in which it is your turn. `your_turn` with the
/// status `lobby` means that you must open your client seed.
#[utoipa::path(
    operation_id = "streamMe",
    tag = "accounts",
    responses((status = 200, description = "The stream."), CallerRefusals)
)]
#[get("/v1/me/stream")]
pub(super) async fn account(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<AccountFrames, EventStream>, Problem> {
    Ok(streaming(account_frames(app.streams.stream_account(&caller)?)))
}

fn resume_after(request: &HttpRequest) -> Result<LogPosition, Problem> {
    let Some(value) = request.headers().get(LAST_EVENT_ID) else { return Ok(LogPosition::default()) };
    let position = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    position.ok_or_else(|| {
        let code = ProblemCode::MalformedHeader { header: "Last-Event-ID" };
        Problem::new(code, "Last-Event-ID is the id of a frame, or 0 for the beginning.")
    })
}

fn streaming<T>(frames: impl Stream<Item = Result<Bytes, GameFailure>> + 'static) -> Answer<T, EventStream> {
    Answer::streamed(frames.map(|frame| frame.map_err(ended_early)))
        .header((CACHE_CONTROL, "no-store"))
        .header(PLAIN)
        .header(NO_BUFFERING)
}

/// Logs an error inside a stream. It can only end the stream.
fn ended_early(failure: GameFailure) -> Problem {
    let problem = Problem::from(failure);
    tracing::warn!(code = problem.code.kind().code, cause = problem.cause, "a stream ended early");
    problem
}

/// The frames of a game, until it is over or the node stops. A failure ends the stream, and the answer to the client's
/// next attempt has the reason.
fn game_frames(stream: GameStream) -> impl Stream<Item = Result<Bytes, GameFailure>> {
    unfold(Some(stream), |stream| async {
        let mut stream = stream?;
        Some(match stream.next().await {
            Ok(GameNews::Events(events)) => (events_frames(&events), Some(stream)),
            Ok(GameNews::Reset(head)) => (reset_frame(head), Some(stream)),
            Ok(GameNews::Quiet) => (Ok(Bytes::from_static(QUIET.as_bytes())), Some(stream)),
            Ok(GameNews::Reconnect) => (Ok(Bytes::from_static(RECONNECT.as_bytes())), None),
            Ok(GameNews::End) => (Ok(Bytes::from_static(END.as_bytes())), None),
            Ok(GameNews::SessionEnded) => return None,
            Err(failure) => (Err(failure), None),
        })
    })
}

fn account_frames(stream: AccountStream) -> impl Stream<Item = Result<Bytes, GameFailure>> {
    unfold(Some(stream), |stream| async {
        let mut stream = stream?;
        let (name, matter) = match stream.next().await {
            Ok(AccountNews::YourTurn(matter)) => ("your_turn", matter),
            Ok(AccountNews::Invited(matter)) => ("invited", matter),
            Ok(AccountNews::Started(matter)) => ("started", matter),
            Ok(AccountNews::Finished(matter)) => ("finished", matter),
            Ok(AccountNews::Quiet) => return Some((Ok(Bytes::from_static(QUIET.as_bytes())), Some(stream))),
            Ok(AccountNews::Reconnect) => return Some((Ok(Bytes::from_static(RECONNECT.as_bytes())), None)),
            Ok(AccountNews::SessionEnded) => return None,
            Err(failure) => return Some((Err(failure), None)),
        };
        Some((frame(&format!("event: {name}"), &matter), Some(stream)))
    })
}

fn events_frames(events: &[Arc<PublishedEvent>]) -> Result<Bytes, GameFailure> {
    let frame = |event: &Arc<PublishedEvent>| {
        event.frame(event_frame).map_err(|error| Failure::Defect(error.to_string()).into())
    };
    match events {
        [event] => frame(event),
        events => {
            let frames: Vec<Bytes> = events.iter().map(frame).collect::<Result<_, GameFailure>>()?;
            Ok(Bytes::from(frames.concat()))
        }
    }
}

fn event_frame(id: LogPosition, event: &str) -> Bytes {
    Bytes::from(format!("id: {id}\ndata: {event}\n\n"))
}

/// The position at which the stream continues when the log no longer has the client's last event.
#[derive(Serialize)]
struct Reset {
    version: u64,
    head: HeadView,
}

fn reset_frame(head: HeadView) -> Result<Bytes, GameFailure> {
    let position = LogPosition::of(head.seq, &head.hash.0);
    frame(&format!("event: reset\nid: {position}"), &Reset { version: head.seq, head })
}

/// A frame. Compact JSON has no line breaks, so it fits one line of data.
fn frame(head: &str, data: &impl Serialize) -> Result<Bytes, GameFailure> {
    let data = serde_json::to_string(data).map_err(|error| Failure::Defect(error.to_string()))?;
    Ok(Bytes::from(format!("{head}\ndata: {data}\n\n")))
}
