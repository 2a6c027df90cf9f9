//! `GET /v1/matchmaking`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::language::{Preferred, Translate};
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::matchmaking::Waiting;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Show your queue entry
///
/// Returns whether you are in the matchmaking queue, at which table, since when, and when bots take the empty seats.
#[utoipa::path(
    operation_id = "getQueueEntry",
    tag = "matchmaking",
    responses((status = 200, description = "Your queue entry."), CallerRefusals)
)]
#[get("/v1/matchmaking")]
pub(super) async fn get_queue_entry(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Preferred(language): Preferred,
) -> Result<Answer<Waiting>, Problem> {
    let mut waiting = app.matchmaking.sought(&caller).await?;
    language.waiting(&mut waiting);
    Ok(Answer::json(&waiting).in_language(language))
}
