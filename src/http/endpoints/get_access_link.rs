//! `GET /v1/me/access-link`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::PendingBearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::accounts::access_link::AccessLink;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Show the access link of your account
///
/// A moderator can issue an access link to a player who has proved their identity by other means. It signs in to the account, after
/// 24 hours. Returns its times; show them to the player, who can stop it.
#[utoipa::path(
    operation_id = "getAccessLink",
    tag = "accounts",
    responses((status = 200, description = "The link, or nulls."), CallerRefusals)
)]
#[get("/v1/me/access-link")]
pub(super) async fn get_access_link(
    app: web::Data<App>,
    PendingBearer(caller): PendingBearer,
) -> Result<Answer<AccessLink>, Problem> {
    Ok(Answer::json(&app.accounts.access_link(&caller).await?))
}
