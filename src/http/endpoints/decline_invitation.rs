//! `DELETE /v1/me/invitations/{id}`.

use actix_web::{delete, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Others;

/// Decline an invitation
///
/// The friend is not told.
#[utoipa::path(
    operation_id = "declineInvitation",
    tag = "people",
    params(("id" = Uuid, Path, description = "The invitation's id.")),
    responses((status = 204, description = "The invitation is gone."), CallerRefusals)
)]
#[delete("/v1/me/invitations/{id}")]
pub(super) async fn decline_invitation(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<NoContent, Problem> {
    app.people.decline(&caller, *id).await?;
    Ok(NoContent)
}
