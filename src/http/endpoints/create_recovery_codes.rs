//! `POST /v1/me/recovery-codes`.

use actix_web::{post, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::accounts::recovery::RecoveryCodes;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Create recovery codes
///
/// Returns ten new codes in place of all former ones. They are shown only now: ask the player to keep them. A full account
/// must have signed in within the last five minutes.
#[utoipa::path(
    operation_id = "createRecoveryCodes",
    tag = "accounts",
    responses((status = 200, description = "The codes."), CallerRefusals)
)]
#[post("/v1/me/recovery-codes")]
pub(super) async fn create_recovery_codes(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<RecoveryCodes>, Problem> {
    Ok(Answer::json(&app.accounts.new_recovery_codes(&caller).await?).uncompressed())
}
