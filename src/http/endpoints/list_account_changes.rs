//! `GET /v1/me/changes`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::accounts::changes::AccountChangeList;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// List changes of the ways into your account
///
/// Returns who changed identities, recovery codes and credentials, newest first. Show a player those of other sessions.
#[utoipa::path(
    operation_id = "listAccountChanges",
    tag = "accounts",
    responses((status = 200, description = "The changes."), CallerRefusals)
)]
#[get("/v1/me/changes")]
pub(super) async fn list_account_changes(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<AccountChangeList>, Problem> {
    Ok(Answer::json(&app.accounts.changes(&caller).await?))
}
