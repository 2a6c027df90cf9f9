//! `POST /v1/password-resets`.

use actix_web::{HttpRequest, post, web};

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::NoContent;
use crate::http::body::Json;
use crate::http::common::email_address::EmailAddressRequest;
use crate::http::language::Preferred;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::PublicRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// Ask for a way back by mail
///
/// Sends links into the accounts of a verified address, in the language of the request. The answer is the same if there are
/// none. A link signs in once, within 30 minutes: send its token as the `code` of `POST /v1/sessions/recovery`.
#[utoipa::path(
    operation_id = "requestPasswordReset",
    tag = "sessions",
    responses((status = 204, description = "If an account has the address, a mail is on its way."), PublicRefusals),
    security(())
)]
#[post("/v1/password-resets")]
pub(super) async fn request_password_reset(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(client): ClientAddress,
    Preferred(language): Preferred,
    Json(EmailAddressRequest { address }): Json<EmailAddressRequest>,
) -> Result<NoContent, Problem> {
    announce(&request, &app.throttle.policies("reset"));
    app.mail.request_reset(&address, language, client).await?;
    Ok(NoContent)
}
