//! `GET /v1/me/reports`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::moderation::ReportList;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// List your reports
///
/// Returns your reports and appeals with their state, newest first, at most 100.
#[utoipa::path(
    operation_id = "listReports",
    tag = "people",
    responses((status = 200, description = "The reports."), CallerRefusals)
)]
#[get("/v1/me/reports")]
pub(super) async fn list_reports(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<ReportList>, Problem> {
    Ok(Answer::json(&app.moderation.own_reports(&caller).await?))
}
