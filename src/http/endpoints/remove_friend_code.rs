//! `DELETE /v1/me/friend-code`.

use actix_web::{delete, web};

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Remove your friend code
///
/// The code stops working.
#[utoipa::path(
    operation_id = "removeFriendCode",
    tag = "people",
    responses((status = 204, description = "There is no code."), CallerRefusals)
)]
#[delete("/v1/me/friend-code")]
pub(super) async fn remove_friend_code(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<NoContent, Problem> {
    app.people.remove_code(&caller).await?;
    Ok(NoContent)
}
