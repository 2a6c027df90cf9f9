//! `GET /v1/me`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::PendingBearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::accounts::Account;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Show your account
///
/// Returns the account of the access token. If `display_name_problem` is not null, ask the player for another
/// display name and send it with `PATCH /v1/me`. A session that waits for its second step may ask too.
#[utoipa::path(
    operation_id = "getMe",
    tag = "accounts",
    responses((status = 200, description = "The account."), CallerRefusals)
)]
#[get("/v1/me")]
pub(super) async fn get_me(
    app: web::Data<App>,
    PendingBearer(caller): PendingBearer,
) -> Result<Answer<Account>, Problem> {
    Ok(Answer::json(&app.accounts.me(&caller).await?))
}
