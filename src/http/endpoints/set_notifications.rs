//! `PUT /v1/me/notifications`.

use actix_web::{put, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_service::notifications::{NotificationChoices, NotificationSettings};
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

impl Body for NotificationChoices {}

/// Choose what you are notified of
///
/// Replaces all choices. Notices of the quiet hours go when these end, unless they are out of date by then.
#[utoipa::path(
    operation_id = "setNotifications",
    tag = "accounts",
    responses((status = 200, description = "The new choices."), WriteRefusals)
)]
#[put("/v1/me/notifications")]
pub(super) async fn set_notifications(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Json(choices): Json<NotificationChoices>,
) -> Result<Answer<NotificationSettings>, Problem> {
    Ok(Answer::json(&app.notifications.choose(&caller, choices).await?))
}
