//! `POST /v1/me/second-step`.

use actix_web::{post, web};

use super::Access;
use crate::http::answer::{Answer, Created};
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::accounts::second_step::SecondStepSecret;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Start a second step
///
/// Draws a secret for an authenticator app (TOTP, RFC 6238: SHA-1, six digits, every 30 seconds) and returns it, only now. It is in
/// force once `PUT /v1/me/second-step` has a code of the app. Another start replaces a secret that was not confirmed. A full account
/// must have signed in within the last five minutes.
#[utoipa::path(
    operation_id = "startSecondStep",
    tag = "accounts",
    responses((status = 201, description = "The secret."), CallerRefusals)
)]
#[post("/v1/me/second-step")]
pub(super) async fn start_second_step(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Created<SecondStepSecret>, Problem> {
    Ok(Answer::json(&app.accounts.start_second_step(&caller).await?).uncompressed())
}
