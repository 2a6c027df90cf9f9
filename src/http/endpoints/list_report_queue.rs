//! `GET /v1/admin/reports`.

use actix_web::{get, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::parameters::Query;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::desk::ReportQueue;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// Which reports to show.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ReportsQuery {
    /// Whether to show decided ones too, newest first.
    #[serde(default)]
    #[param(value_type = Option<bool>, default = false)]
    all: bool,
}

/// List reports of players
///
/// Returns the reports and appeals that wait for a decision, oldest first, or the newest of all. For moderators and admins.
#[utoipa::path(
    operation_id = "listReportQueue",
    tag = "admin",
    params(ReportsQuery),
    responses((status = 200, description = "The reports."), CallerRefusals)
)]
#[get("/v1/admin/reports")]
pub(super) async fn list_report_queue(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Query(ReportsQuery { all }): Query<ReportsQuery>,
) -> Result<Answer<ReportQueue>, Problem> {
    Ok(Answer::json(&app.desk.reports(&caller, all).await?))
}
