//! `GET /v1/me/standing`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::moderation::StandingView;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Show your standing
///
/// Returns whether you may talk and play, until when not, and what moderators did to the account, with their reasons.
#[utoipa::path(
    operation_id = "getStanding",
    tag = "people",
    responses((status = 200, description = "The standing."), CallerRefusals)
)]
#[get("/v1/me/standing")]
pub(super) async fn get_standing(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<StandingView>, Problem> {
    Ok(Answer::json(&app.moderation.standing(&caller).await?))
}
