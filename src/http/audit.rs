//! `/v1/audit`: the transparency log and the audit accesses of all games. `/v1/games/{id}/audit-accesses`: those
//! of a game.

use actix_web::{HttpResponse, get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::bearer::Bearer;
use super::contract;
use super::parameters::{LogSeq, PageSize, Query};
use super::problem::Problem;
use super::refusals::{CallerRefusals, ReadRefusals};
use crate::app::services::App;
use crate::app::vocabulary::GameId;

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
    id: web::Path<GameId>,
    Query(LooksQuery { cursor, limit }): Query<LooksQuery>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.records.audit_accesses(&caller, *id, cursor.as_deref(), limit.0).await?))
}
