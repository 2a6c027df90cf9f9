//! `GET /v1/me/second-step`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::PendingBearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::accounts::second_step::SecondStepView;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Show your second step
///
/// Returns whether sign-ins need a second step, whether the role of the account needs one on this server, and when this session
/// passed it. A session that waits for its second step may ask too.
#[utoipa::path(
    operation_id = "getSecondStep",
    tag = "accounts",
    responses((status = 200, description = "The second step."), CallerRefusals)
)]
#[get("/v1/me/second-step")]
pub(super) async fn get_second_step(
    app: web::Data<App>,
    PendingBearer(caller): PendingBearer,
) -> Result<Answer<SecondStepView>, Problem> {
    Ok(Answer::json(&app.accounts.second_step(&caller).await?))
}
