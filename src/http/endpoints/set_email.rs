//! `PUT /v1/me/email`.

use actix_web::{HttpRequest, put, web};

use super::Access;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::common::email_address::EmailAddressRequest;
use crate::http::language::Preferred;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::WriteRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// Set your email address
///
/// Sends a link to the address, in the language of the request. The address is the account's once the link was followed,
/// within 30 minutes. A full account must have signed in within the last five minutes.
#[utoipa::path(
    operation_id = "setEmail",
    tag = "accounts",
    responses((status = 204, description = "The link is on its way."), WriteRefusals)
)]
#[put("/v1/me/email")]
pub(super) async fn set_email(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Preferred(language): Preferred,
    Json(EmailAddressRequest { address }): Json<EmailAddressRequest>,
) -> Result<NoContent, Problem> {
    announce(&request, &app.throttle.policies("mail"));
    app.mail.set_address(&caller, &address, language).await?;
    Ok(NoContent)
}
