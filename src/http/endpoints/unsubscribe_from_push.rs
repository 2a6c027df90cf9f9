//! `DELETE /v1/me/push-subscription`.

use actix_web::{delete, web};

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Send no pushes to this browser
///
/// Ends the push subscription of this session.
#[utoipa::path(
    operation_id = "unsubscribeFromPush",
    tag = "accounts",
    responses((status = 204, description = "No pushes go to the browser any more."), CallerRefusals)
)]
#[delete("/v1/me/push-subscription")]
pub(super) async fn unsubscribe_from_push(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<NoContent, Problem> {
    app.notifications.unsubscribe(&caller).await?;
    Ok(NoContent)
}
