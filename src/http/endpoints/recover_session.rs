//! `POST /v1/sessions/recovery`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::{Answer, Created};
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::PublicRefusals;
use estimation_service::accounts::recovery::Recovery;
use estimation_service::auth::sessions::Session;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// A request to sign in with a recovery code, or with the link of a mail.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecoveryRequest {
    /// A recovery code, in any case, with or without its hyphens; or the token in the fragment of a link.
    #[schema(min_length = 1, max_length = 64, example = "7K3M-Q0ZD-9TXW-2HVB-C5PA-JR8E")]
    code: String,
    /// The password from now on: 8–128 characters, not one of the most common ones. If absent, the present password stays. A
    /// guest account has none.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "kettle-orbit-quince", required = false)]
    new_password: Option<String>,
    /// A name for the device, shown in the list of sessions: at most 80 characters.
    #[schema(max_length = 80, example = "Noor's phone", required = false)]
    device: Option<String>,
}

impl Body for RecoveryRequest {}

/// Sign in with a recovery code or a link
///
/// Creates a session without the password, and ends all other sessions. The code or the link is used up. A link that a moderator
/// gave works after 24 hours; before that the answer is 403 `link-too-early`.
#[utoipa::path(
    operation_id = "recoverSession",
    tag = "sessions",
    responses(
        (status = 201, description = "The session was created."),
        (status = 401, description = "No account has this code or link.", content_type = "application/problem+json", body = Problem),
        (status = 403, description = "The link of a moderator does not work yet.", content_type = "application/problem+json", body = Problem),
        PublicRefusals
    ),
    security(())
)]
#[post("/v1/sessions/recovery")]
pub(super) async fn recover_session(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(RecoveryRequest { code, new_password, device }): Json<RecoveryRequest>,
) -> Result<Created<Session>, Problem> {
    announce(&request, &app.throttle.policies("recovery"));
    let recovery = Recovery { code: &code, new_password: new_password.as_deref(), device, address };
    Ok(Answer::json(&app.accounts.recover(recovery).await?).uncompressed())
}
