//! Commands, the log, the stream, the score sheet and reactions of a game.

use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{ETag, EntityTag, HeaderName};
use actix_web::web::{Bytes, Data, Path};
use actix_web::{HttpRequest, HttpResponse, get, post};
use futures_util::stream::{Stream, unfold};
use garde::Validate;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::answer::{Answer, Either, EmptyReply, EventStream, NoContent, Reply};
use crate::http::bearer::{Bearer, Player};
use crate::http::body::Json;
use crate::http::caching::{
    IfNoneMatchHeader, PUBLIC, add_remaining_time, entity_tag, expected_version, versioned,
};
use crate::http::contract::EventFrames;
use crate::http::event_streams::{QUIET, RECONNECT, frame, framed, streaming};
use crate::http::idempotency::{OnceHeader, once_key};
use crate::http::language::{Language, PreferredLanguage, Translate};
use crate::http::parameters::{EventHash, LogSeq, PageSize, Query, Wait, unreadable_path};
use crate::http::posted_command::PostedCommand;
use crate::http::problem::Problem;
use crate::http::rate::{self, Refusals};
use estimation_engine::choice::Choice;
use estimation_service::auth::caller::Caller;
use estimation_service::base::failure::Failure;
use estimation_service::games::events::PublishedEvent;
use estimation_service::games::turn::ViewerTurn;
use estimation_service::games::view::HeadView;
use estimation_service::games::{CommandAnswer, EventsPage, Hint, LogPosition, Play, ScoreSheet};
use estimation_service::reactions::{Reaction, TableReaction};
use estimation_service::services::App;
use estimation_service::vocabulary::{Command, GameId};
use estimation_service::watch::{GameNews, GameStream};

/// Initial buffer sizes of answers, in bytes; most whole ones fit, and all minimal ones.
const USUAL_LENGTH: usize = 6 * 1024;
const MINIMAL_LENGTH: usize = 160;

const PREFER: HeaderName = HeaderName::from_static("prefer");

/// Play
///
/// Executes a command. `legal` in the view lists exactly the commands that are allowed. With `If-Match` the
/// command applies to that version only; without it, to the present state.
#[utoipa::path(
    params(
        ("If-Match" = Option<String>, Header, max_length = 52,
            pattern = r#"^(\*|"[0-9]{1,16}\.[0-9a-f]{16}\.[0-9a-f]{16}")$"#,
            description = "The `ETag` of the view that the command is for. The server compares its first two parts: the version, and the beginning of the last event's hash."),
        OnceHeader,
        ("Prefer" = Option<String>, Header, max_length = 1000,
            description = "`return=minimal` for an answer with `version` and `head` alone.")
    ),
    responses((status = 200, headers(("ETag" = String, description = "The entity tag of the view.")))),
    request_body = Command
)]
#[post("/v1/games/{id}/commands")]
pub(super) async fn post_command(
    request: HttpRequest,
    app: Data<App>,
    Player(caller): Player,
    id: Path<String>,
    PreferredLanguage(language): PreferredLanguage,
    body: Result<Json<PostedCommand>, Problem>,
) -> Reply<CommandAnswer> {
    let refusals = Refusals::of(&request, &caller);
    let done = carry_out(&request, &app, &caller, &id, language, body, &refusals).await;
    done.map_err(|problem| refusals.answer(problem))
}

/// The body of the answer, and the entity tag of the view in it. The view is serialised once.
fn answered(
    request: &HttpRequest,
    played: &mut CommandAnswer,
) -> Result<(Vec<u8>, Option<EntityTag>), serde_json::Error> {
    let mut body = Vec::with_capacity(if played.game.is_some() { USUAL_LENGTH } else { MINIMAL_LENGTH });
    body.extend_from_slice(b"{\"version\":");
    serde_json::to_writer(&mut body, &played.version)?;
    let mut etag = None;
    body.extend_from_slice(b",\"head\":");
    serde_json::to_writer(&mut body, &played.head)?;
    if let (Some(events), Some(game)) = (&played.events, &mut played.game) {
        body.extend_from_slice(b",\"events\":");
        serde_json::to_writer(&mut body, events)?;
        body.extend_from_slice(b",\"game\":");
        let (view, remaining_ms) = (body.len(), game.remaining_ms.take());
        serde_json::to_writer(&mut body, game)?;
        let at = LogPosition::of(played.version, &game.head.hash.0);
        etag = Some(entity_tag(request, at, &body[view..]));
        add_remaining_time(&mut body, remaining_ms);
    }
    body.push(b'}');
    Ok((body, etag))
}

async fn carry_out(
    request: &HttpRequest,
    app: &Arc<App>,
    caller: &Caller,
    id: &str,
    language: Language,
    body: Result<Json<PostedCommand>, Problem>,
    refusals: &Refusals<'_>,
) -> Reply<CommandAnswer> {
    let game = id.parse().map_err(|_| unreadable_path(request))?;
    let command = body?.0.command()?;
    let expected = expected_version(request)?;
    let key = once_key(request)?;
    let play = Play { caller, game, expected, command: &command, key: key.as_ref(), refusals };
    let brief = request.headers().get(PREFER).is_some_and(|value| value.as_bytes() == b"return=minimal");
    let mut done = app.games.play(&play, brief).await?;
    if let Some(game) = &mut done.value.game {
        language.view(game);
    }
    let (body, etag) = answered(request, &mut done.value).map_err(Problem::defect)?;
    let mut answer = HttpResponse::Ok();
    answer.content_type("application/json");
    match etag {
        Some(etag) => answer.insert_header(ETag(etag)),
        None => answer.insert_header(("preference-applied", "return=minimal")),
    };
    let answer = Answer::written(answer.body(body)).replayed(done.replayed);
    Ok(if brief { answer } else { answer.in_language(language) })
}

/// Which part of the log to read.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct EventsQuery {
    /// Only events after this sequence number.
    #[serde(default)]
    #[param(value_type = u64, minimum = 0, maximum = 9007199254740991i64, default = 0)]
    #[garde(dive)]
    after: LogSeq,
    /// The `hash` of the event `after`, or at least its first 16 digits. If the log has another event at that
    /// position, or none, the answer is the problem `log-replaced`.
    #[serde(default)]
    #[param(value_type = Option<String>, min_length = 16, max_length = 64, pattern = "^[0-9a-f]{16,64}$")]
    hash: Option<EventHash>,
    /// The maximum number of events per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    #[garde(dive)]
    limit: PageSize,
    /// The maximum time to wait for an event, in seconds, if there is none yet.
    #[serde(default)]
    #[param(value_type = u64, minimum = 0, maximum = 55, default = 0)]
    #[garde(dive)]
    wait: Wait,
}

/// Read the log of a game
///
/// Returns the events of a game in order, as the caller may see them. With `wait`, the server waits for an event before
/// it answers (long polling).
#[utoipa::path(params(EventsQuery))]
#[get("/v1/games/{id}/events")]
pub(super) async fn list_events(
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
    Query(EventsQuery { after, hash, limit, wait }): Query<EventsQuery>,
) -> Reply<EventsPage> {
    let after = LogPosition { seq: after.0, tag: hash.map(|hash| hash.0) };
    let page = app.streams.await_events(&caller, *id, after, limit.0, Duration::from_secs(wait.0)).await?;
    Ok(Answer::json(&page))
}

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

const END: &str = "event: end\ndata: {}\n\n";

/// Stream a game
///
/// Sends the events of a game as server-sent events. `id` is the sequence number, a hyphen and the first 16 digits of
/// the event's hash. `data` is a `GameMessage`: the event without what `id` says. `Last-Event-ID` resumes after the event with that
/// id. Begin at the `head` of a view: its `seq`, a hyphen and the first 16 digits of its `hash`.
///
/// The last event of a command has the `turn` after it: who is awaited, until when, the commands that you may post, and
/// the parts of the view that changed since the turn before, beside what the events say. So keep the view that you have, and
/// post commands with `Prefer: return=minimal`. If several commands come together, the newest event alone has a turn. The
/// events that you missed have none: after them comes `event: turn`, without `id`, with its `version` and all parts, unless the
/// game is over. Ignore a turn of an earlier version than yours. Load the view for what no turn has: a new invitation code, and the end of a game that you
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
/// The stream is never compressed: who sees only how long its frames are would learn of your hand. For the same reason
/// there are spaces after your cards and legal plays.
///
/// If the game is over and no events are left to send, the answer is 204. A stream ends with the session that opened
/// it.
#[utoipa::path(
    params(
        ("Last-Event-ID" = Option<String>, Header, pattern = "^(0|[0-9]{1,16}-[0-9a-f]{16})$", max_length = 33,
            description = "The `id` of the frame to resume after, or `0` for the beginning of the log.")
    ),
    responses((status = 204, description = "The game is over, and no events are left to send."))
)]
#[get("/v1/games/{id}/stream")]
pub(super) async fn stream_game(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    PreferredLanguage(language): PreferredLanguage,
    id: Path<GameId>,
) -> Result<Either<Answer<EventFrames, EventStream>, NoContent>, Problem> {
    let after = resume_after(&request)?;
    let stream = app.streams.stream_game(&caller, *id, after, language).await?;
    if stream.is_over() {
        return Ok(Either::Right(NoContent));
    }
    Ok(Either::Left(streaming(game_frames(stream)).in_language(language)))
}

fn resume_after(request: &HttpRequest) -> Result<LogPosition, Problem> {
    let Some(value) = request.headers().get(LAST_EVENT_ID) else { return Ok(LogPosition::default()) };
    let position = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    position.ok_or_else(|| {
        let code = Failure::MalformedHeader { header: "Last-Event-ID" };
        Problem::new(code, "Last-Event-ID is the id of a frame, or 0 for the beginning.")
    })
}

/// The frames of a game, until it is over or the node stops. A failure ends the stream, and the answer to the client's
/// next attempt has the reason.
fn game_frames(stream: GameStream) -> impl Stream<Item = Result<Vec<Bytes>, Failure>> {
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
fn events_frames(events: &[Arc<PublishedEvent>], turn: Option<&ViewerTurn>) -> Result<Vec<Bytes>, Failure> {
    let frames = events.iter().enumerate().map(|(index, event)| match turn {
        Some(turn) if index + 1 == events.len() => turn_event_frame(event, turn),
        _ => event.frame(event_frame),
    });
    let frames: Result<Vec<Bytes>, _> = frames.collect();
    frames.map_err(|error| Failure::Defect(error.to_string()))
}

fn turn_event_frame(event: &PublishedEvent, turn: &ViewerTurn) -> serde_json::Result<Bytes> {
    let write = |turn: &str| Ok(event_frame(event.position(), &event.message_with(turn)?));
    if event.is_shared() { turn.frame(write) } else { write(&turn.json()) }
}

/// The frame of a turn. It has no id, because the stream continues after the last event.
fn turn_frame(turn: &ViewerTurn) -> Bytes {
    framed("event: turn", &turn.json())
}

fn event_frame(id: LogPosition, event: &str) -> Bytes {
    framed(&format!("id: {id}"), event)
}

/// The position at which the stream continues when the log no longer has the client's last event.
#[derive(Serialize)]
struct Reset {
    version: u64,
    head: HeadView,
}

/// The frames of what players said. They have no id, because the log does not have them.
fn reaction_frames(heard: &[TableReaction]) -> Result<Vec<Bytes>, Failure> {
    heard.iter().map(|reaction| frame("event: reaction", reaction)).collect()
}

fn reset_frame(head: HeadView) -> Result<Bytes, Failure> {
    let position = LogPosition::of(head.seq, &head.hash.0);
    frame(&format!("event: reset\nid: {position}"), &Reset { version: head.seq, head })
}

/// Check a command
///
/// Says whether a command is in `legal`, and if not, why. Nothing is executed, also where a table would accept
/// and penalise the command. The refusals are those of `postCommand`. With `If-Match` the answer is about that
/// version only.
#[utoipa::path(
    params(
        ("If-Match" = Option<String>, Header, max_length = 52,
            pattern = r#"^(\*|"[0-9]{1,16}\.[0-9a-f]{16}\.[0-9a-f]{16}")$"#,
            description = "The `ETag` of the view that the command is for.")
    ),
    request_body = Command
)]
#[post("/v1/games/{id}/commands/check")]
pub(super) async fn check_command(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
    Json(posted): Json<PostedCommand>,
) -> EmptyReply {
    let expected = expected_version(&request)?;
    app.games.check(&caller, *id, expected, &posted.command()?).await?;
    Ok(NoContent)
}

/// Take a hint
///
/// Says what the bot that would stand in for you would do now. It knows only what you see. Hints are for games
/// that started with one person, in that person's turn. The first hint of a game is recorded, and the game then
/// counts in no statistics: `scores.hinted` in the view says so.
#[utoipa::path]
#[post("/v1/games/{id}/hint")]
pub(super) async fn take_hint(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
) -> Reply<Hint> {
    rate::count_hint(&request, &caller)?;
    Ok(Answer::json(&app.games.hint(&caller, *id).await?))
}

/// What to say.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct ReactRequest {
    /// The reaction.
    reaction: Reaction,
}

/// Say something at the table
///
/// Says one thing of a fixed set (`GET /v1/reactions`). The streams of the game send it as `event: reaction`, to players and
/// spectators, but not to those who mute or block the player. A player reacts once in three seconds, and 20 times in a round. The
/// record of the game does not have it; the server keeps it for 30 days, for reports. A table can be silent (`talk` of the
/// view).
#[utoipa::path]
#[post("/v1/games/{id}/reactions")]
pub(super) async fn react(
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
    Json(ReactRequest { reaction }): Json<ReactRequest>,
) -> EmptyReply {
    app.reactions.react(&caller, *id, reaction).await?;
    Ok(NoContent)
}

/// What players can say at tables.
#[derive(Serialize, ToSchema)]
pub(super) struct ReactionList {
    /// The reactions.
    #[schema(max_items = 100)]
    items: Vec<ReactionText>,
}

/// A reaction with its text.
#[derive(Serialize, ToSchema)]
struct ReactionText {
    /// The reaction.
    reaction: Reaction,
    /// The text, in the language of the request.
    #[schema(min_length = 1, max_length = 40, example = "Well played")]
    text: String,
    /// An emoji for it; null for a phrase.
    #[schema(min_length = 1, max_length = 8, example = "👏")]
    symbol: Option<&'static str>,
}

/// List what players can say
///
/// Returns the fixed set of reactions and phrases with their texts, in the language of the request.
#[utoipa::path]
#[get("/v1/reactions")]
pub(super) async fn list_reactions(PreferredLanguage(language): PreferredLanguage) -> Answer<ReactionList> {
    let all = <Reaction as Choice>::NAMES.iter().filter_map(|name| Reaction::from_name(name));
    let items = all.map(|reaction| ReactionText {
        reaction,
        text: language.reaction_text(reaction.as_str()).to_owned(),
        symbol: reaction.symbol(),
    });
    Answer::json(&ReactionList { items: items.collect() }).header(PUBLIC).in_language(language)
}

/// Show the score sheet
///
/// Returns every finished round. Each seat has the call, the tricks, the points and the lines that add up to them.
#[utoipa::path(
    params(IfNoneMatchHeader),
    responses((status = 304, description = "The score sheet has not changed."))
)]
#[get("/v1/games/{id}/scores")]
pub(super) async fn get_scores(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
) -> Reply<ScoreSheet> {
    let sheet = app.games.scores(&caller, *id).await?;
    versioned(&request, sheet.version, &sheet)
}
