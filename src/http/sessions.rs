//! `/v1/sessions`: signing in, refreshing, listing devices, signing out.

use actix_web::{HttpRequest, delete, get, post, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::address::ClientAddress;
use super::answer::{Answer, Created, NoContent};
use super::bearer::Bearer;
use super::body::Json;
use super::field_errors::Body;
use super::problem::Problem;
use super::rate::announce;
use super::refusals::{CallerRefusals, PublicRefusals};
use estimation_service::auth::devices::SignedIn;
use estimation_service::auth::login::Login;
use estimation_service::auth::sessions::Session;
use estimation_service::services::App;

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

/// A request to refresh a session.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RefreshRequest {
    /// The refresh token from the latest session answer.
    #[schema(max_length = 256)]
    refresh_token: String,
}

impl Body for RefreshRequest {}

/// The devices on which the account is signed in, newest first.
#[derive(Serialize, ToSchema)]
pub(super) struct DeviceList {
    /// The devices, newest first.
    #[schema(max_items = 1000)]
    items: Vec<SignedIn>,
}

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
pub(super) async fn log_in(
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
    Ok(Answer::json(&app.sessions.log_in(login).await?))
}

/// Refresh a session
///
/// Exchanges a refresh token for a new access token and the next refresh token. If the answer is lost, send the
/// same token again: you get the same successor until it is used, or until an access token issued with it is used.
/// After that, a used token ends the session. Parallel refreshes within 60 seconds always get the same successor.
#[utoipa::path(
    operation_id = "refreshSession",
    tag = "sessions",
    responses(
        (status = 200, description = "The session with its new tokens."),
        (status = 401, description = "The server does not accept the refresh token.",
            content_type = "application/problem+json", body = Problem),
        PublicRefusals
    ),
    security(())
)]
#[post("/v1/sessions/refresh")]
pub(super) async fn refresh(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(refreshing): Json<RefreshRequest>,
) -> Result<Answer<Session>, Problem> {
    announce(&request, &app.throttle.policies("refresh"));
    Ok(Answer::json(&app.sessions.refresh(&refreshing.refresh_token, address).await?))
}

/// List your devices
///
/// Returns the devices on which the account is signed in, newest first. `current` marks the device of this request.
#[utoipa::path(
    operation_id = "listSessions",
    tag = "sessions",
    responses((status = 200, description = "The devices."), CallerRefusals)
)]
#[get("/v1/sessions")]
pub(super) async fn list(app: web::Data<App>, Bearer(caller): Bearer) -> Result<Answer<DeviceList>, Problem> {
    Ok(Answer::json(&DeviceList { items: app.sessions.devices(&caller).await? }))
}

/// Sign out a device
///
/// Ends one of your sessions. Its refresh token stops working at once. Its access tokens, streams and polls end
/// at once on the node that handles the request, and within two seconds on all other nodes.
#[utoipa::path(
    operation_id = "endSession",
    tag = "sessions",
    params(("id" = Uuid, Path, description = "The session's id.")),
    responses((status = 204, description = "The session has ended."), CallerRefusals)
)]
#[delete("/v1/sessions/{id}")]
pub(super) async fn end(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
) -> Result<NoContent, Problem> {
    app.sessions.end_session(&caller, *id).await?;
    Ok(NoContent)
}

/// Sign out all devices
///
/// Ends all of your sessions, including the session of this request.
#[utoipa::path(
    operation_id = "endSessions",
    tag = "sessions",
    responses((status = 204, description = "All sessions have ended."), CallerRefusals)
)]
#[delete("/v1/sessions")]
pub(super) async fn end_all(app: web::Data<App>, Bearer(caller): Bearer) -> Result<NoContent, Problem> {
    app.sessions.end_sessions(&caller).await?;
    Ok(NoContent)
}
