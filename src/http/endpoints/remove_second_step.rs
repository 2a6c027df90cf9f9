//! `DELETE /v1/me/second-step`.

use actix_web::{delete, web};

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Remove your second step
///
/// Sign-ins need no second step any more. This session must have passed it within the last 15 minutes (`second-step-required`).
/// An account whose role needs one cannot do what the role allows until it sets one up again.
#[utoipa::path(
    operation_id = "removeSecondStep",
    tag = "accounts",
    responses((status = 204, description = "The account has no second step."), CallerRefusals)
)]
#[delete("/v1/me/second-step")]
pub(super) async fn remove_second_step(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<NoContent, Problem> {
    app.accounts.remove_second_step(&caller).await?;
    Ok(NoContent)
}
