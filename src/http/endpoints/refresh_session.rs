//! `POST /v1/sessions/refresh`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::Answer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::PublicRefusals;
use estimation_service::auth::sessions::Session;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// A request to refresh a session.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RefreshRequest {
    /// The refresh token from the latest session answer.
    #[schema(max_length = 256)]
    refresh_token: String,
}

impl Body for RefreshRequest {}

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
pub(super) async fn refresh_session(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(refreshing): Json<RefreshRequest>,
) -> Result<Answer<Session>, Problem> {
    announce(&request, &app.throttle.policies("refresh"));
    Ok(Answer::json(&app.sessions.refresh(&refreshing.refresh_token, address).await?).uncompressed())
}
