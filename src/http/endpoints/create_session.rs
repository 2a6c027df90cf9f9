//! `POST /v1/sessions`.

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
use estimation_service::auth::login::Login;
use estimation_service::auth::sessions::Session;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// A request to sign in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LoginRequest {
    /// The account's username. Upper and lower case count as equal.
    #[schema(max_length = 32, example = "noor")]
    username: String,
    /// The account's password.
    #[schema(max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: String,
    /// A name for the device, shown in the list of sessions: at most 80 characters.
    #[schema(max_length = 80, example = "Noor's phone")]
    device: Option<String>,
    /// The `device_token` of an earlier session on this device. The server counts sign-in attempts from a known
    /// device separately from all other attempts.
    #[schema(max_length = 128)]
    device_token: Option<String>,
}

impl Body for LoginRequest {}

/// Sign in
///
/// Creates a session with a username and a password.
#[utoipa::path(
    operation_id = "createSession",
    tag = "sessions",
    responses(
        (status = 201, description = "The session was created."),
        (status = 401, description = "The username and the password do not match.",
            content_type = "application/problem+json", body = Problem),
        PublicRefusals
    ),
    security(())
)]
#[post("/v1/sessions")]
pub(super) async fn create_session(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(credentials): Json<LoginRequest>,
) -> Result<Created<Session>, Problem> {
    announce(&request, &app.throttle.policies("login"));
    let login = Login {
        username: &credentials.username,
        password: &credentials.password,
        device: credentials.device,
        device_token: credentials.device_token.as_deref(),
        address,
    };
    Ok(Answer::json(&app.sessions.log_in(login).await?).uncompressed())
}
