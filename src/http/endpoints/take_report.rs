//! `POST /v1/admin/reports/{id}/take`.

use actix_web::{post, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::moderation::QueuedReport;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// Take a report
///
/// Assigns the report to you, in place of another moderator. For moderators and admins.
/// The second step must have been passed within the last 15 minutes.
#[utoipa::path(
    operation_id = "takeReport",
    tag = "admin",
    params(("id" = Uuid, Path, description = "The report's id.")),
    responses((status = 200, description = "The report."), CallerRefusals)
)]
#[post("/v1/admin/reports/{id}/take")]
pub(super) async fn take_report(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<Answer<QueuedReport>, Problem> {
    Ok(Answer::json(&app.desk.take_report(&caller, *id).await?))
}
