//! `GET /v1/me/notifications`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::notifications::NotificationSettings;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Show what you are notified of
///
/// Returns what you chose about notices, and the key with which a browser subscribes to pushes.
#[utoipa::path(
    operation_id = "getNotifications",
    tag = "accounts",
    responses((status = 200, description = "The choices, and what this server can do."), CallerRefusals)
)]
#[get("/v1/me/notifications")]
pub(super) async fn get_notifications(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<NotificationSettings>, Problem> {
    Ok(Answer::json(&app.notifications.settings(&caller).await?))
}
