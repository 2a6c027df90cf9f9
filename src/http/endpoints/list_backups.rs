//! `GET /v1/admin/backups`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::desk::BackupList;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// List the checked backups
///
/// Returns the backups that `estimation backup check --record` restored, audited and found sound. For admins.
#[utoipa::path(
    operation_id = "listBackups",
    tag = "admin",
    responses((status = 200, description = "The backups."), CallerRefusals)
)]
#[get("/v1/admin/backups")]
pub(super) async fn list_backups(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<BackupList>, Problem> {
    Ok(Answer::json(&app.desk.backups(&caller).await?))
}
