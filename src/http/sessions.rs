//! `/v1/sessions`: signing in, refreshing, listing devices, signing out.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;
use uuid::Uuid;

use super::address::ClientAddress;
use super::bearer::Bearer;
use super::body::Json;
use super::contract;
use super::field_errors::Body;
use super::problem::Problem;
use super::rate::announce;
use super::refusals::{CallerRefusals, PublicRefusals};
use crate::app::services::App;
use crate::auth::login::Login;

/// Username and password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Credentials {
    /// The account's username, in any case.
    #[schema(max_length = 32, example = "noor")]
    username: String,
    /// Its password.
    #[schema(max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: String,
    /// A name for the device, to tell sessions apart: at most 80 characters.
    #[schema(max_length = 80, example = "Noor's phone")]
    device: Option<String>,
    /// The `device_token` of an earlier session on this device. Attempts to sign in from a device that is
    /// known are counted apart from all others.
    #[schema(max_length = 128)]
    device_token: Option<String>,
}

impl Body for Credentials {}

/// A refresh token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Refreshing {
    /// The refresh token of the last session answer.
    #[schema(max_length = 256)]
    refresh_token: String,
}

impl Body for Refreshing {}

/// Sign in
///
/// Opens a session with a username and a password.
#[utoipa::path(
    operation_id = "createSession",
    tag = "sessions",
    responses(
        (status = 201, description = "The session was opened.", body = contract::Session),
        (status = 401, description = "Username and password do not belong together.",
            content_type = "application/problem+json", body = contract::Problem),
        PublicRefusals
    ),
    security(())
)]
#[post("/v1/sessions")]
pub(super) async fn log_in(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(credentials): Json<Credentials>,
) -> Result<HttpResponse, Problem> {
    announce(&request, &app.throttle.policies("login"));
    let login = Login {
        username: &credentials.username,
        password: &credentials.password,
        device: credentials.device,
        device_token: credentials.device_token.as_deref(),
        address,
    };
    Ok(HttpResponse::Created().json(app.sessions.log_in(login).await?))
}

/// Refresh a session
///
/// Exchanges a refresh token for a new access token and the next refresh token. A token that is presented
/// again within 60 seconds gets the same successor; after that it ends the session.
#[utoipa::path(
    operation_id = "refreshSession",
    tag = "sessions",
    responses(
        (status = 200, description = "The session goes on.", body = contract::Session),
        (status = 401, description = "The refresh token is not accepted.",
            content_type = "application/problem+json", body = contract::Problem),
        PublicRefusals
    ),
    security(())
)]
#[post("/v1/sessions/refresh")]
pub(super) async fn refresh(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(refreshing): Json<Refreshing>,
) -> Result<HttpResponse, Problem> {
    announce(&request, &app.throttle.policies("refresh"));
    Ok(HttpResponse::Ok().json(app.sessions.refresh(&refreshing.refresh_token, address).await?))
}

/// List one's devices
///
/// The devices the account is signed in on, newest first; `current` marks the one that asks.
#[utoipa::path(
    operation_id = "listSessions",
    tag = "sessions",
    responses((status = 200, description = "The devices.", body = contract::SignedInList), CallerRefusals)
)]
#[get("/v1/sessions")]
pub(super) async fn list(app: web::Data<App>, Bearer(caller): Bearer) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(json!({"items": app.sessions.devices(&caller).await?})))
}

/// Sign a device out
///
/// Ends one of one's sessions. Its refresh token is worth nothing from then on; its access tokens, streams
/// and polls end at once on the node that is asked, and within two seconds on all others.
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
) -> Result<HttpResponse, Problem> {
    app.sessions.end_session(&caller, *id).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Sign all devices out
///
/// Ends all of one's sessions, the one that asks included.
#[utoipa::path(
    operation_id = "endSessions",
    tag = "sessions",
    responses((status = 204, description = "All sessions have ended."), CallerRefusals)
)]
#[delete("/v1/sessions")]
pub(super) async fn end_all(app: web::Data<App>, Bearer(caller): Bearer) -> Result<HttpResponse, Problem> {
    app.sessions.end_sessions(&caller).await?;
    Ok(HttpResponse::NoContent().finish())
}
