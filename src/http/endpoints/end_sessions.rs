//! `DELETE /v1/sessions`.

use actix_web::{delete, web};

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Sign out all devices
///
/// Ends all of your sessions, including the session of this request.
#[utoipa::path(
    operation_id = "endSessions",
    tag = "sessions",
    responses((status = 204, description = "All sessions have ended."), CallerRefusals)
)]
#[delete("/v1/sessions")]
pub(super) async fn end_sessions(app: web::Data<App>, Bearer(caller): Bearer) -> Result<NoContent, Problem> {
    app.sessions.end_sessions(&caller).await?;
    Ok(NoContent)
}
