//! `GET /v1/admin/accounts/{id}`.

use actix_web::{get, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_engine::player::AccountId;
use estimation_service::desk::InspectedAccount;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// Show an account
///
/// Returns what the desk knows of an account: sessions, roles, standing, what moderators did with their notes, the newest games, and
/// reports about it. For moderators and admins.
#[utoipa::path(
    operation_id = "inspectAccount",
    tag = "admin",
    params(("id" = Uuid, Path, description = "The account's id.")),
    responses((status = 200, description = "The account."), CallerRefusals)
)]
#[get("/v1/admin/accounts/{id}")]
pub(super) async fn inspect_account(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<Answer<InspectedAccount>, Problem> {
    Ok(Answer::json(&app.desk.inspect_account(&caller, &AccountId::new(*id)).await?))
}
