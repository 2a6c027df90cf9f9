//! `DELETE /v1/me/email`.

use actix_web::{delete, web};

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::language::Preferred;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Remove your email address
///
/// The address does not lead into the account any more. A mail tells it so. A full account must have signed in within the last
/// five minutes.
#[utoipa::path(
    operation_id = "removeEmail",
    tag = "accounts",
    responses((status = 204, description = "The account has no address."), CallerRefusals)
)]
#[delete("/v1/me/email")]
pub(super) async fn remove_email(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Preferred(language): Preferred,
) -> Result<NoContent, Problem> {
    app.mail.remove_address(&caller, language).await?;
    Ok(NoContent)
}
