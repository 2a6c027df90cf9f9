//! `GET /v1/admin/settings`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::desk::SettingList;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// List the settings
///
/// Returns the settings of the node that answers, without secrets. For admins.
#[utoipa::path(
    operation_id = "listSettings",
    tag = "admin",
    responses((status = 200, description = "The settings."), CallerRefusals)
)]
#[get("/v1/admin/settings")]
pub(super) async fn list_settings(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<SettingList>, Problem> {
    Ok(Answer::json(&app.desk.settings(&caller)?))
}
