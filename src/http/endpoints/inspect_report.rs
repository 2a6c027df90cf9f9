//! `GET /v1/admin/reports/{id}`.

use actix_web::{get, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::desk::InspectedReport;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// Show a report of a player
///
/// Returns a report with what its author could see when writing it. For moderators and admins.
#[utoipa::path(
    operation_id = "inspectReport",
    tag = "admin",
    params(("id" = Uuid, Path, description = "The report's id.")),
    responses((status = 200, description = "The report."), CallerRefusals)
)]
#[get("/v1/admin/reports/{id}")]
pub(super) async fn inspect_report(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<Answer<InspectedReport>, Problem> {
    Ok(Answer::json(&app.desk.inspect_report(&caller, *id).await?))
}
