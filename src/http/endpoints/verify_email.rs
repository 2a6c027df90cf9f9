//! `POST /v1/email-verifications`.

use actix_web::{HttpRequest, post, web};

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::NoContent;
use crate::http::body::Json;
use crate::http::common::mailed_token::MailedToken;
use crate::http::language::Preferred;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::PublicRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// Verify an email address
///
/// Makes the address to which a link was sent that of the account. The former address is told.
#[utoipa::path(
    operation_id = "verifyEmail",
    tag = "accounts",
    responses(
        (status = 204, description = "The address is verified."),
        (status = 401, description = "The link does not work.", content_type = "application/problem+json", body = Problem),
        PublicRefusals
    ),
    security(())
)]
#[post("/v1/email-verifications")]
pub(super) async fn verify_email(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Preferred(language): Preferred,
    Json(MailedToken { token }): Json<MailedToken>,
) -> Result<NoContent, Problem> {
    announce(&request, &app.throttle.policies("link"));
    app.mail.verify(&token, language, address).await?;
    Ok(NoContent)
}
