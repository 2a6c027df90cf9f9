//! `GET /v1/admin/queues`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::desk::Queues;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// Show who waits
///
/// Returns the players in the matchmaking queue and the tables in the lobby, the longest waiting first. For moderators and admins.
#[utoipa::path(
    operation_id = "getQueues",
    tag = "admin",
    responses((status = 200, description = "The queues."), CallerRefusals)
)]
#[get("/v1/admin/queues")]
pub(super) async fn get_queues(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<Queues>, Problem> {
    Ok(Answer::json(&app.desk.queues(&caller).await?))
}
