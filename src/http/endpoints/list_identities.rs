//! `GET /v1/me/identities`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::identities::IdentityList;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// List your identities
///
/// Returns the identities of issuers that sign in to the account.
#[utoipa::path(
    operation_id = "listIdentities",
    tag = "accounts",
    responses((status = 200, description = "The identities."), CallerRefusals)
)]
#[get("/v1/me/identities")]
pub(super) async fn list_identities(
    app: web::Data<App>,
    Bearer(caller): Bearer,
) -> Result<Answer<IdentityList>, Problem> {
    Ok(Answer::json(&app.identities.list(&caller).await?))
}
