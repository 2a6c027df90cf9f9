//! `DELETE /v1/me/identities/{id}`.

use actix_web::{delete, web};
use uuid::Uuid;

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Others;

/// Remove an identity
///
/// The identity does not sign in to the account any more. The last way in stays (`last-way-in`): recovery codes are none. The
/// account must have signed in within the last five minutes.
#[utoipa::path(
    operation_id = "removeIdentity",
    tag = "accounts",
    params(("id" = Uuid, Path, description = "The identity's id.")),
    responses((status = 204, description = "The identity was removed."), CallerRefusals)
)]
#[delete("/v1/me/identities/{id}")]
pub(super) async fn remove_identity(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<NoContent, Problem> {
    app.identities.remove(&caller, *id).await?;
    Ok(NoContent)
}
