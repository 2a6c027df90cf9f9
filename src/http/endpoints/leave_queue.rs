//! `DELETE /v1/matchmaking`.

use actix_web::{delete, web};

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Leave the matchmaking queue
///
/// Gives up your seat at the matchmade table before the game starts. If you are not in the queue, nothing happens.
/// After the start, the server refuses the request: stand up from the table to forfeit.
#[utoipa::path(
    operation_id = "leaveQueue",
    tag = "matchmaking",
    responses((status = 204, description = "You are not in the queue."), CallerRefusals)
)]
#[delete("/v1/matchmaking")]
pub(super) async fn leave_queue(app: web::Data<App>, Bearer(caller): Bearer) -> Result<NoContent, Problem> {
    app.matchmaking.stop_seeking(&caller).await?;
    Ok(NoContent)
}
