//! `GET /v1/audit/accesses`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::common::access_pages::AccessesQuery;
use crate::http::parameters::Query;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::histories::AccessPage;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

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
pub(super) async fn list_auditor_accesses(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Query(AccessesQuery { cursor, limit }): Query<AccessesQuery>,
) -> Result<Answer<AccessPage>, Problem> {
    Ok(Answer::json(&app.records.all_audit_accesses(&caller, cursor.as_deref(), limit.0).await?))
}
