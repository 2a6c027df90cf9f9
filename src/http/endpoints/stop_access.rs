//! `DELETE /v1/me/access-link`.

use actix_web::{delete, web};

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::PendingBearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Stop the access link of your account
///
/// The access link that a moderator issued stops working. Answers the same if there is none.
#[utoipa::path(
    operation_id = "stopAccess",
    tag = "accounts",
    responses((status = 204, description = "There is no access link."), CallerRefusals)
)]
#[delete("/v1/me/access-link")]
pub(super) async fn stop_access(
    app: web::Data<App>,
    PendingBearer(caller): PendingBearer,
) -> Result<NoContent, Problem> {
    app.accounts.stop_access(&caller).await?;
    Ok(NoContent)
}
