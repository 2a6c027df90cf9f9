//! `GET /v1/games/{id}/audit-accesses`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::common::access_pages::AccessesQuery;
use crate::http::parameters::Query;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::histories::AuditAccessPage;
use estimation_service::services::App;
use estimation_service::vocabulary::GameId;

pub(super) const ACCESS: Access = Access::Others;

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
pub(super) async fn list_audit_accesses(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<GameId>,
    Query(AccessesQuery { cursor, limit }): Query<AccessesQuery>,
) -> Result<Answer<AuditAccessPage>, Problem> {
    Ok(Answer::json(&app.records.audit_accesses(&caller, *id, cursor.as_deref(), limit.0).await?))
}
