//! Sessions over HTTP: signing in, and refreshing.

use actix_web::{HttpResponse, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::body::Json;
use super::contract;
use super::problem::Problem;
use super::refusals::PublicRefusals;
use crate::application::app::App;

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
}

/// A refresh token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Refreshing {
    /// The refresh token of the last session answer.
    #[schema(max_length = 256)]
    refresh_token: String,
}

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
    app: web::Data<App>,
    Json(credentials): Json<Credentials>,
) -> Result<HttpResponse, Problem> {
    let session = app.log_in(&credentials.username, &credentials.password, credentials.device).await?;
    Ok(HttpResponse::Created().json(session))
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
    app: web::Data<App>,
    Json(refreshing): Json<Refreshing>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.refresh(&refreshing.refresh_token).await?))
}
