//! `GET /v1/admin/overview`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::desk::Overview;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// Show the overview
///
/// Returns what an operator looks at first: reports, games, the public log, nodes and backups as numbers. For moderators, admins and
/// auditors.
#[utoipa::path(
    operation_id = "getOverview",
    tag = "admin",
    responses((status = 200, description = "The overview."), CallerRefusals)
)]
#[get("/v1/admin/overview")]
pub(super) async fn get_overview(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<Overview>, Problem> {
    Ok(Answer::json(&app.desk.overview(&caller).await?))
}
