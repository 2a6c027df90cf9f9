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

/// Show a link into your account
///
/// A moderator can give a link into an account to somebody who proved elsewhere who they are. It works after 24 hours. Returns from
/// when on it works; tell the player, who can stop it.
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
