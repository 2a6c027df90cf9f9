//! `DELETE /v1/sessions/{id}`.

use actix_web::{delete, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::PendingBearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Others;

/// Sign out a device
///
/// Ends one of your sessions. Its refresh token stops working at once. Its access tokens, streams and polls end
/// at once on the node that handles the request, and within two seconds on all other nodes. A session that waits for its second step may do it too.
#[utoipa::path(
    operation_id = "endSession",
    tag = "sessions",
    params(("id" = Uuid, Path, description = "The session's id.")),
    responses((status = 204, description = "The session has ended."), CallerRefusals)
)]
#[delete("/v1/sessions/{id}")]
pub(super) async fn end_session(
    app: web::Data<App>,
    PendingBearer(caller): PendingBearer,
    id: web::Path<Uuid>,
) -> Result<NoContent, Problem> {
    app.sessions.end_session(&caller, *id).await?;
    Ok(NoContent)
}
