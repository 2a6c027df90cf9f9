//! The second step of sign-in.

use actix_web::web::Data;
use actix_web::{HttpRequest, delete, get, post, put};
use garde::Validate;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::answer::{Answer, Created, EmptyReply, NoContent, Reply};
use crate::http::bearer::{Bearer, PendingBearer};
use crate::http::body::Json;
use crate::http::rate::announce;
use estimation_service::accounts::recovery::RecoveryCodes;
use estimation_service::accounts::second_step::{SecondStepSecret, SecondStepView};
use estimation_service::services::App;

/// Show your second step
///
/// Returns whether sign-ins need a second step, whether the role of the account needs one on this server, and when this session
/// passed it. A session that waits for its second step may ask too.
#[utoipa::path]
#[get("/v1/me/second-step")]
pub(super) async fn get_second_step(
    app: Data<App>,
    PendingBearer(caller): PendingBearer,
) -> Reply<SecondStepView> {
    Ok(Answer::json(&app.accounts.second_step(&caller).await?))
}

/// Start a second step
///
/// Draws a secret for an authenticator app (TOTP, RFC 6238: SHA-1, six digits, every 30 seconds) and returns it, only now. It is in
/// force once `PUT /v1/me/second-step` has a code of the app. Another start replaces a secret that was not confirmed. A full account
/// must have signed in within the last five minutes.
#[utoipa::path]
#[post("/v1/me/second-step")]
pub(super) async fn start_second_step(
    app: Data<App>,
    Bearer(caller): Bearer,
) -> Reply<SecondStepSecret, Created> {
    Ok(Answer::json(&app.accounts.start_second_step(&caller).await?).uncompressed())
}

/// A request with a code of the second step.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct SecondStepCode {
    /// Six digits of the authenticator app. To pass the second step also one of the ten codes, in any case, with or without its
    /// hyphens.
    #[schema(min_length = 1, max_length = 64, example = "287082")]
    #[garde(length(chars, min = 1, max = 64))]
    pub(super) code: String,
}

/// Confirm a second step
///
/// Puts the second step into force with a code of the app, and returns ten codes for the day on which the app is lost: each passes
/// the second step once. They are shown only now. All other sessions must pass the second step from now on.
#[utoipa::path]
#[put("/v1/me/second-step")]
pub(super) async fn confirm_second_step(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    Json(SecondStepCode { code }): Json<SecondStepCode>,
) -> Reply<RecoveryCodes> {
    announce(&request, &app.throttle.policies("second-step"));
    Ok(Answer::json(&app.accounts.confirm_second_step(&caller, &code).await?).uncompressed())
}

/// Remove your second step
///
/// Sign-ins need no second step any more. This session must have passed it within the last 15 minutes (`second-step-required`).
/// An account whose role needs one cannot do what the role allows until it sets one up again.
#[utoipa::path]
#[delete("/v1/me/second-step")]
pub(super) async fn remove_second_step(app: Data<App>, Bearer(caller): Bearer) -> EmptyReply {
    app.accounts.remove_second_step(&caller).await?;
    Ok(NoContent)
}
