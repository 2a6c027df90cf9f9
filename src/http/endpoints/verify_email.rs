//! `POST /v1/email-verifications`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::NoContent;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::language::Preferred;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::PublicRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// The token of a link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EmailVerification {
    /// What stands in the fragment of the link.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{43}$",
        min_length = 43,
        max_length = 43,
        example = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    )]
    token: String,
}

impl Body for EmailVerification {}

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
    Json(EmailVerification { token }): Json<EmailVerification>,
) -> Result<NoContent, Problem> {
    announce(&request, &app.throttle.policies("link"));
    app.mail.verify(&token, language, address).await?;
    Ok(NoContent)
}
