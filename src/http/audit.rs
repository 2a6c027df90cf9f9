//! `/v1/audit`: the public log opened for auditors, and the audit accesses of all games.
//! `/v1/games/{id}/audit-accesses`: those of a game.

use actix_web::{get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::answer::Answer;
use super::bearer::Bearer;
use super::parameters::{PageSize, Query};
use super::problem::Problem;
use super::refusals::CallerRefusals;
use estimation_service::histories::{AccessPage, AuditAccessPage};
use estimation_service::public_log::OpenedEntryPage;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

/// Which entries to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EntriesQuery {
    /// The `next_cursor` of the previous page.
    #[param(min_length = 1, max_length = 512)]
    cursor: Option<String>,
    /// The maximum number of entries per page.
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

/// List the starts and ends of all games
///
/// Returns the starts and ends of games in the public log, those of private games too, up to the last checkpoint. Each
/// item opens an entry of the log: the entry itself, or its hash with the salt, is at the position `index` of the log
/// `origin`. Items are in the order of the log. A log that was replaced comes before the one that continues it. For
/// auditors.
#[utoipa::path(
    operation_id = "listAuditedGames",
    tag = "audit",
    params(EntriesQuery),
    responses((status = 200, description = "A page of entries."), CallerRefusals)
)]
#[get("/v1/audit/games")]
pub(super) async fn games(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Query(EntriesQuery { cursor, limit }): Query<EntriesQuery>,
) -> Result<Answer<OpenedEntryPage>, Problem> {
    Ok(Answer::json(&app.public_log.opened_entries(&caller, cursor.as_deref(), limit.0).await?))
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
