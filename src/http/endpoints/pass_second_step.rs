//! `POST /v1/sessions/current/second-step`.

use actix_web::{HttpRequest, post, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::PendingBearer;
use crate::http::body::Json;
use crate::http::common::second_step_code::SecondStepCode;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::WriteRefusals;
use estimation_service::accounts::second_step::SecondStepView;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Pass the second step
///
/// Passes the second step for this session, with a code of the authenticator app or one of the ten codes on paper. Each works once.
/// Until then every operation but this one, `GET /v1/me`, `GET /v1/me/second-step`, a refresh and the end of the session is refused
/// with 403 `second-step-required`. No password, link, recovery code or identity replaces it. Acts of moderators and admins need it
/// within the last 15 minutes, so ask again when they are refused.
#[utoipa::path(
    operation_id = "passSecondStep",
    tag = "sessions",
    responses((status = 200, description = "The session has passed it."), WriteRefusals)
)]
#[post("/v1/sessions/current/second-step")]
pub(super) async fn pass_second_step(
    request: HttpRequest,
    app: web::Data<App>,
    PendingBearer(caller): PendingBearer,
    Json(SecondStepCode { code }): Json<SecondStepCode>,
) -> Result<Answer<SecondStepView>, Problem> {
    announce(&request, &app.throttle.policies("second-step"));
    Ok(Answer::json(&app.accounts.pass_second_step(&caller, &code).await?))
}
