//! `GET /v1/me/invitations`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::people::InvitationList;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// List invitations to you
///
/// Returns the invitations of friends to tables that wait for players, newest first. Join a private table with `joinByCode`,
/// and a public one with `joinGame`.
#[utoipa::path(
    operation_id = "listInvitations",
    tag = "people",
    responses((status = 200, description = "The invitations."), CallerRefusals)
)]
#[get("/v1/me/invitations")]
pub(super) async fn list_invitations(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<InvitationList>, Problem> {
    Ok(Answer::json(&app.people.invitations(&caller).await?))
}
