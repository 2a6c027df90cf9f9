//! `GET /v1/admin/log`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::desk::LogReport;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// Show the state of the public log
///
/// Returns the state of the public log and its witnesses, and how many games wait for their end to be signed and packed. For
/// moderators, admins and auditors.
#[utoipa::path(
    operation_id = "getLogReport",
    tag = "admin",
    responses((status = 200, description = "The state."), CallerRefusals)
)]
#[get("/v1/admin/log")]
pub(super) async fn get_log_report(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<LogReport>, Problem> {
    Ok(Answer::json(&app.desk.log(&caller).await?))
}
