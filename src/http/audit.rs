//! `/v1/audit`: the transparency log and the audit accesses of all games. `/v1/games/{id}/audit-accesses`: those
//! of a game.

use actix_web::{get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::answer::Answer;
use super::bearer::{Bearer, OptionalBearer};
use super::parameters::{LogSeq, PageSize, Query};
use super::problem::Problem;
use super::refusals::CallerRefusals;
use crate::app::histories::{AccessPage, AuditAccessPage};
use crate::app::services::App;
use crate::app::transparency_log::ListPage;
use crate::app::vocabulary::GameId;
use estimation_record::verify::SignedCheckpoint;

/// Which part of the list of ended games to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ListedQuery {
    /// Only games after this position on the list.
    #[serde(default)]
    #[param(value_type = u64, minimum = 0, maximum = 9007199254740991i64, default = 0)]
    after: LogSeq,
    /// The maximum number of games per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// Which accesses to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct AccessesQuery {
    /// The `next_cursor` of the previous page.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of accesses per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    limit: PageSize,
}

/// Get the signed checkpoint of the ended games
///
/// Returns the number of games on the list of ended games and the hash of its chain, signed with a record key. If you
/// keep a checkpoint, you can detect later whether the server dropped or replaced a game. The list has ended: the member
/// `log` is a checkpoint of the public log, which has the ends of later games. For auditors the list goes on, and `log`
/// is absent.
#[utoipa::path(
    operation_id = "getCheckpoint",
    tag = "audit",
    responses((status = 200, description = "The checkpoint."), CallerRefusals),
    security((), ("bearer" = []))
)]
#[get("/v1/audit/checkpoint")]
pub(super) async fn checkpoint(
    app: web::Data<App>,
    OptionalBearer(caller): OptionalBearer,
) -> Result<Answer<SignedCheckpoint>, Problem> {
    Ok(Answer::json(&app.transparency_log.checkpoint(caller.as_ref()).await?))
}

/// List the ended games
///
/// Returns the games that were over when the server got a public log, in the order in which it listed them. Each line
/// is chained to the previous line. The public log has the ends of later games. Auditors get all games that are over.
#[utoipa::path(
    operation_id = "listEndedGames",
    tag = "audit",
    params(ListedQuery),
    responses((status = 200, description = "A page of the list."), CallerRefusals),
    security((), ("bearer" = []))
)]
#[get("/v1/audit/games")]
pub(super) async fn listed(
    app: web::Data<App>,
    OptionalBearer(caller): OptionalBearer,
    Query(ListedQuery { after, limit }): Query<ListedQuery>,
) -> Result<Answer<ListPage>, Problem> {
    Ok(Answer::json(&app.transparency_log.listed_games(caller.as_ref(), after.0, limit.0).await?))
}

/// List the accesses of auditors to all games
///
/// Returns the accesses to records that only the auditor role allowed, newest first. For admins.
#[utoipa::path(
    operation_id = "listAuditorAccesses",
    tag = "audit",
    params(AccessesQuery),
    responses((status = 200, description = "A page of accesses."), CallerRefusals)
)]
#[get("/v1/audit/accesses")]
pub(super) async fn looks(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Query(AccessesQuery { cursor, limit }): Query<AccessesQuery>,
) -> Result<Answer<AccessPage>, Problem> {
    Ok(Answer::json(&app.records.all_audit_accesses(&caller, cursor.as_deref(), limit.0).await?))
}

/// List the accesses of auditors to a game
///
/// Returns when auditors read the record of this game and up to which event, newest first. It lists the accesses that
/// only the auditor role allowed. Players who have or had a seat in the game can read the list, during the game and
/// afterwards. Auditors never see an unfinished round. Other callers who may see the game get `not-seated`.
#[utoipa::path(
    operation_id = "listAuditAccesses",
    tag = "audit",
    params(("id" = Uuid, Path, description = "The game's id."), AccessesQuery),
    responses((status = 200, description = "A page of accesses."), CallerRefusals)
)]
#[get("/v1/games/{id}/audit-accesses")]
pub(super) async fn accesses(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Query(AccessesQuery { cursor, limit }): Query<AccessesQuery>,
) -> Result<Answer<AuditAccessPage>, Problem> {
    Ok(Answer::json(&app.records.audit_accesses(&caller, *id, cursor.as_deref(), limit.0).await?))
}
