//! `GET /v1/me/email`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::problem::Problem;
use crate::http::refusals::CallerRefusals;
use estimation_service::mail::Email;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Get your email address
///
/// Returns the verified address of the account, and whether this server sends mail.
#[utoipa::path(
    operation_id = "getEmail",
    tag = "accounts",
    responses((status = 200, description = "The address."), CallerRefusals)
)]
#[get("/v1/me/email")]
pub(super) async fn get_email(app: web::Data<App>, Bearer(caller): Bearer) -> Result<Answer<Email>, Problem> {
    Ok(Answer::json(&app.mail.email(&caller).await?))
}
