//! `PUT /v1/me/second-step`.

use actix_web::{HttpRequest, put, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::common::second_step_code::SecondStepCode;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::WriteRefusals;
use estimation_service::accounts::recovery::RecoveryCodes;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Confirm a second step
///
/// Puts the second step into force with a code of the app, and returns ten codes for the day on which the app is lost: each passes
/// the second step once. They are shown only now. All other sessions must pass the second step from now on.
#[utoipa::path(
    operation_id = "confirmSecondStep",
    tag = "accounts",
    responses((status = 200, description = "The codes."), WriteRefusals)
)]
#[put("/v1/me/second-step")]
pub(super) async fn confirm_second_step(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Json(SecondStepCode { code }): Json<SecondStepCode>,
) -> Result<Answer<RecoveryCodes>, Problem> {
    announce(&request, &app.throttle.policies("second-step"));
    Ok(Answer::json(&app.accounts.confirm_second_step(&caller, &code).await?).uncompressed())
}
