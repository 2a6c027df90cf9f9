//! Records over HTTP: histories, past states, the list of ended games, looks.

use actix_web::http::header::{ACCEPT, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, get, web};
use futures_util::StreamExt;
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use super::bearer::Bearer;
use super::contract;
use super::entity::view_answer;
use super::parameters::{LogSeq, PageSize, Query};
use super::pieces::{ended_early, pieces};
use super::problem::Problem;
use super::refusals::{CallerRefusals, ReadRefusals};
use crate::app::state::App;

/// One JSON object a line.
const LINES: &str = "application/x-ndjson";

/// Which version of a game to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct StateQuery {
    /// The version.
    #[param(value_type = u64, minimum = 1, maximum = 9007199254740991i64)]
    version: LogSeq,
}

/// Which part of the list of ended games to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ListedQuery {
    /// Only games after this position.
    #[serde(default)]
    #[param(value_type = u64, minimum = 0, maximum = 9007199254740991i64, default = 0)]
    after: LogSeq,
    /// How many games at most.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// Which looks to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LooksQuery {
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<contract::Cursor>)]
    cursor: Option<String>,
    /// How many looks at most.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// Hand out the history of a game
///
/// The whole record, with every event as it is stored, for anybody to verify. When the game is over it is
/// for those who sat in it, for anyone if it was public, and for auditors; while it runs for auditors
/// alone, up to the last round that is over. What an auditor sees by that right is recorded, is listed for the
/// players by `GET /v1/games/{id}/audit-accesses`, and bars the auditor from the game. With
/// `Accept: application/x-ndjson` every piece is a line of its own.
#[utoipa::path(
    operation_id = "getHistory",
    tag = "audit",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("Accept" = Option<String>, Header, max_length = 1000, description = "`application/x-ndjson` for lines; JSON otherwise.")
    ),
    responses(
        (status = 200, description = "The history.", content(
            (contract::History = "application/json"), (contract::HistoryLines = "application/x-ndjson"))),
        CallerRefusals
    )
)]
#[get("/v1/games/{id}/history")]
pub(super) async fn history(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let lines = request.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok()).any(|value| {
        value.split(',').any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == LINES))
    });
    let history = app.records.history(&caller, *id).await?;
    let kind = if lines { LINES } else { "application/json" };
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, kind))
        .streaming(pieces(history, lines).map(|piece| piece.map_err(ended_early))))
}

/// Show a past state
///
/// The game as it was at a version, as the caller may see it. `legal` is empty except at the present one.
#[utoipa::path(
    operation_id = "getState",
    tag = "audit",
    params(
        ("id" = Uuid, Path, description = "The game's id."),
        ("If-None-Match" = Option<String>, Header, max_length = 1000,
            description = "The `ETag` of a view that you have already."),
        StateQuery
    ),
    responses((status = 304, description = "You have this view already."), (status = 200, description = "The view at that version.", body = contract::GameView), CallerRefusals)
)]
#[get("/v1/games/{id}/state")]
pub(super) async fn state(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
    Query(StateQuery { version }): Query<StateQuery>,
) -> Result<HttpResponse, Problem> {
    let view = app.games.state_at(&caller, *id, version.0).await?;
    view_answer(&request, view)
}

/// Sign the list of ended games
///
/// How many games are on the list and the hash of its chain, signed with a record key. Who keeps it can
/// tell later whether a game was dropped or replaced.
#[utoipa::path(
    operation_id = "getCheckpoint",
    tag = "audit",
    responses((status = 200, description = "The checkpoint.", body = contract::SignedCheckpoint), ReadRefusals),
    security(())
)]
#[get("/v1/audit/checkpoint")]
pub(super) async fn checkpoint(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.transparency_log.checkpoint().await?))
}

/// Show the list of ended games
///
/// Every game that is over, in the order in which they were listed, each line chained to the one before it.
#[utoipa::path(
    operation_id = "listEndedGames",
    tag = "audit",
    params(ListedQuery),
    responses((status = 200, description = "A page of the list.", body = contract::ListedPage), ReadRefusals),
    security(())
)]
#[get("/v1/audit/games")]
pub(super) async fn listed(
    app: web::Data<App>,
    Query(ListedQuery { after, limit }): Query<ListedQuery>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.transparency_log.listed_games(after.0, limit.0).await?))
}

/// List looks
///
/// What auditors have seen by their right alone, newest first. For admins.
#[utoipa::path(
    operation_id = "listLooks",
    tag = "audit",
    params(LooksQuery),
    responses((status = 200, description = "A page of looks.", body = contract::LookPage), CallerRefusals)
)]
#[get("/v1/audit/looks")]
pub(super) async fn looks(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Query(LooksQuery { cursor, limit }): Query<LooksQuery>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.records.all_audit_accesses(&caller, cursor.as_deref(), limit.0).await?))
}

/// List the accesses of auditors to a game
///
/// When auditors read the record of this game by their right alone, and up to which event, newest first. For
/// those who sit in the game or sat in it, while it is played and afterwards. A round that is not over is never
/// shown to auditors. Other callers who may see the game are refused with `not-seated`.
#[utoipa::path(
    operation_id = "listAuditAccesses",
    tag = "audit",
    params(("id" = Uuid, Path, description = "The game's id."), LooksQuery),
    responses((status = 200, description = "A page of accesses.", body = contract::AuditAccessPage), CallerRefusals)
)]
#[get("/v1/games/{id}/audit-accesses")]
pub(super) async fn accesses(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
    Query(LooksQuery { cursor, limit }): Query<LooksQuery>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.records.audit_accesses(&caller, *id, cursor.as_deref(), limit.0).await?))
}
