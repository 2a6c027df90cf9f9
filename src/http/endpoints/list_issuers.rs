//! `GET /v1/issuers`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::problem::Problem;
use crate::http::refusals::ReadRefusals;
use estimation_service::identities::IssuerList;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// List the issuers of identities
///
/// Returns the issuers of OpenID Connect with which players sign in here, and whether links by mail lead back. The list is empty
/// if there are none.
#[utoipa::path(
    operation_id = "listIssuers",
    tag = "sessions",
    responses((status = 200, description = "The issuers."), ReadRefusals),
    security(())
)]
#[get("/v1/issuers")]
pub(super) async fn list_issuers(app: web::Data<App>) -> Result<Answer<IssuerList>, Problem> {
    Ok(Answer::json(&app.identities.issuers(app.mail.is_available())))
}
