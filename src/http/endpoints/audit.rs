//! Records that outsiders can check, and what auditors read.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse, get};
use garde::Validate;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::http::answer::{Answer, Either, JsonLines, PlainText, Reply};
use crate::http::bearer::{Bearer, OptionalBearer, token_missing};
use crate::http::caching::{IfNoneMatchHeader, view_answer};
use crate::http::compression::{Coding, PLAIN, encoding};
use crate::http::histories::{LinesHeader, answer, pieces, wants_lines};
use crate::http::history_cache::{HistoryBody, HistoryCache, HistoryKey, whole};
use crate::http::large_answers::Compressors;
use crate::http::parameters::{PageSize, Query};
use crate::http::problem::Problem;
use crate::http::public_log::TEXT;
use estimation_record::verify::{End, EventLine, Header, Proofs};
use estimation_service::games::ProvenEntry;
use estimation_service::games::view::GameView;
use estimation_service::histories::{AccessPage, AuditAccessPage, Bundle};
use estimation_service::public_log::OpenedEntryPage;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

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
#[utoipa::path(params(LinesHeader), security((), ("bearer" = [])))]
#[get("/v1/games/{id}/history")]
pub(super) async fn get_history(
    request: HttpRequest,
    app: Data<App>,
    cache: Data<HistoryCache>,
    compressors: Data<Compressors>,
    OptionalBearer(caller): OptionalBearer,
    id: Path<GameId>,
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
        (Some(history), coding) => {
            cache.kept(HistoryKey { history, lines, coding }, pieces, &compressors).await?
        }
        (None, Some(_)) => whole(coding, pieces, &compressors).await?,
        (None, None) => HistoryBody::Streamed(pieces),
    };
    Ok(if lines { Either::Right(answer(sent, coding)) } else { Either::Left(answer(sent, coding)) })
}

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
#[utoipa::path(params(LinesHeader), security((), ("bearer" = [])))]
#[get("/v1/games/{id}/bundle")]
pub(super) async fn get_bundle(
    request: HttpRequest,
    app: Data<App>,
    OptionalBearer(caller): OptionalBearer,
    id: Path<GameId>,
) -> Result<Either<Answer<BundleDocument>, Answer<BundleLines, JsonLines>>, Problem> {
    let lines = wants_lines(&request);
    let Bundle { history, proofs } = match caller {
        Some(caller) => app.records.bundle(&caller, *id).await?,
        None => app.records.public_bundle(*id).await?.ok_or_else(|| token_missing(&request))?,
    };
    // Its proofs change with each checkpoint, so it cannot be kept, and is too large to be compressed for each request.
    let sent = HistoryBody::Streamed(pieces(history, Some(proofs), lines));
    Ok(match lines {
        true => Either::Right(answer(sent, None).header(PLAIN)),
        false => Either::Left(answer(sent, None).header(PLAIN)),
    })
}

/// A proof file: text in the format c2sp.org/tlog-proof@v1.
#[derive(ToSchema)]
#[schema(value_type = String, as = GameProof, min_length = 1, max_length = 65536, pattern = "^c2sp\\.org/tlog-proof@v1\\n")]
#[expect(dead_code, reason = "the answer is the text of the file")]
pub(super) struct GameProof(String);

/// Which entry of a game a proof is about.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Entry {
    Start,
    End,
}

#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct ProofQuery {
    /// The entry: the start or the end of the game. The end by default.
    #[param(inline)]
    entry: Option<Entry>,
}

/// Get a proof of a game
///
/// Returns the offline proof that the public log has the start or the end of the game: a file in the format
/// c2sp.org/tlog-proof@v1. Its `extra` is JSON with the entry of the log, and the salt that opens it if the game is private.
/// The start has a proof some seconds after it, while the game is played: keep it, because a later one does not show when the
/// start was logged. The answer is `not-logged` until a checkpoint has the entry, which takes some seconds. Everybody can read
/// the proofs of a public game, without an access token too, and the players of a private game can read those of theirs.
#[utoipa::path(params(ProofQuery), security((), ("bearer" = [])))]
#[get("/v1/games/{id}/proof")]
pub(super) async fn get_proof(
    request: HttpRequest,
    app: Data<App>,
    OptionalBearer(caller): OptionalBearer,
    id: Path<GameId>,
    Query(query): Query<ProofQuery>,
) -> Reply<GameProof, PlainText> {
    let entry = match query.entry {
        Some(Entry::Start) => ProvenEntry::Start,
        Some(Entry::End) | None => ProvenEntry::End,
    };
    let text = match caller {
        Some(caller) => app.games.proof(&caller, *id, entry).await?,
        None => app.games.public_proof(*id, entry).await?.ok_or_else(|| token_missing(&request))?,
    };
    Ok(Answer::written(HttpResponse::Ok().insert_header(TEXT).body(text)))
}

/// Which version of a game to show.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct StateQuery {
    /// The version to show.
    #[param(minimum = 1, maximum = 9007199254740991i64)]
    #[garde(range(min = 1, max = (1 << 53) - 1))]
    version: u64,
}

/// Show a past state of a game
///
/// Returns the game at a version, as the caller may see it. `legal` is empty, except at the current version.
#[utoipa::path(
    params(IfNoneMatchHeader, StateQuery),
    responses((status = 304, description = "The view has not changed."))
)]
#[get("/v1/games/{id}/state")]
pub(super) async fn get_state(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
    Query(StateQuery { version }): Query<StateQuery>,
) -> Reply<GameView> {
    let view = app.games.state_at(&caller, *id, version).await?;
    view_answer(&request, view)
}

/// Which entries to show.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct EntriesQuery {
    /// The `next_cursor` of the previous page.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of entries per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    #[garde(dive)]
    limit: PageSize,
}

/// List the log entries of all games
///
/// Returns the starts, ends and adoptions of games in the public log, those of private games too, up to the last
/// checkpoint. Each item opens an entry of the log: the entry itself, or its hash with the salt, is at the position
/// `index` of the log `origin`. Items are in the order of the log. A log that was replaced comes before the one that
/// continues it. For auditors.
#[utoipa::path(params(EntriesQuery))]
#[get("/v1/audit/games")]
pub(super) async fn list_audited_games(
    app: Data<App>,
    Bearer(caller): Bearer,
    Query(EntriesQuery { cursor, limit }): Query<EntriesQuery>,
) -> Reply<OpenedEntryPage> {
    Ok(Answer::json(&app.public_log.opened_entries(&caller, cursor.as_deref(), limit.0).await?))
}

/// Which accesses to show.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(super) struct AccessesQuery {
    /// The `next_cursor` of the previous page.
    #[param(min_length = 1, max_length = 512)]
    pub(super) cursor: Option<String>,
    /// The maximum number of accesses per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    #[garde(dive)]
    pub(super) limit: PageSize,
}

/// List the accesses of auditors to all games
///
/// Returns the accesses to records that only the auditor role allowed, newest first. For admins.
#[utoipa::path(params(AccessesQuery))]
#[get("/v1/audit/accesses")]
pub(super) async fn list_auditor_accesses(
    app: Data<App>,
    Bearer(caller): Bearer,
    Query(AccessesQuery { cursor, limit }): Query<AccessesQuery>,
) -> Reply<AccessPage> {
    Ok(Answer::json(&app.records.all_audit_accesses(&caller, cursor.as_deref(), limit.0).await?))
}

/// List the accesses of auditors to a game
///
/// Returns when auditors read the record of this game and up to which event, newest first. It lists the accesses that
/// only the auditor role allowed. Players who have or had a seat in the game can read the list, during the game and
/// afterwards. Auditors never see an unfinished round. Other callers who may see the game get `not-seated`.
#[utoipa::path(params(AccessesQuery))]
#[get("/v1/games/{id}/audit-accesses")]
pub(super) async fn list_audit_accesses(
    app: Data<App>,
    Bearer(caller): Bearer,
    id: Path<GameId>,
    Query(AccessesQuery { cursor, limit }): Query<AccessesQuery>,
) -> Reply<AuditAccessPage> {
    Ok(Answer::json(&app.records.audit_accesses(&caller, *id, cursor.as_deref(), limit.0).await?))
}
