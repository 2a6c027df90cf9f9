//! Signing in and out, and refreshing tokens.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, delete, get, post};
use garde::Validate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::accounts::Registration;
use super::email::EmailAddressRequest;
use super::identities::Evidence;
use super::second_step::SecondStepCode;
use crate::http::address::ClientAddress;
use crate::http::answer::{Answer, Created, EmptyReply, NoContent, Reply};
use crate::http::bearer::{Bearer, PendingBearer};
use crate::http::body::Json;
use crate::http::contract;
use crate::http::language::PreferredLanguage;
use crate::http::rate::announce;
use estimation_service::accounts::recovery::Recovery;
use estimation_service::accounts::second_step::SecondStepView;
use estimation_service::auth::devices;
use estimation_service::auth::login::Login;
use estimation_service::auth::sessions::Session;
use estimation_service::identities::{IssuedNonce, IssuerList, SignIn, SignedIn};
use estimation_service::services::App;

/// A request to sign in.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct LoginRequest {
    /// The account's username. Upper and lower case count as equal.
    #[schema(max_length = 32, example = "noor")]
    #[garde(length(chars, max = 32))]
    username: String,
    /// The account's password.
    #[schema(max_length = 128, format = Password, example = "plum-kettle-orbit")]
    #[garde(length(chars, max = 128))]
    password: String,
    /// A name for the device, shown in the list of sessions: at most 80 characters.
    #[schema(max_length = 80, example = "Noor's phone")]
    #[garde(length(chars, max = 80))]
    device: Option<String>,
    /// The `device_token` of an earlier session on this device. The server counts sign-in attempts from a known
    /// device separately from all other attempts.
    #[schema(max_length = 128)]
    #[garde(length(chars, max = 128))]
    device_token: Option<String>,
}

/// Sign in
///
/// Creates a session with a username and a password.
#[utoipa::path(responses((status = 401)))]
#[post("/v1/sessions")]
pub(super) async fn create_session(
    request: HttpRequest,
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    Json(credentials): Json<LoginRequest>,
) -> Reply<Session, Created> {
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

/// A request to sign in with a recovery code, or with the link of a mail.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct RecoveryRequest {
    /// A recovery code, in any case, with or without its hyphens; or the token in the fragment of a link.
    #[schema(min_length = 1, max_length = 64, example = "7K3M-Q0ZD-9TXW-2HVB-C5PA-JR8E")]
    #[garde(length(chars, min = 1, max = 64))]
    code: String,
    /// The password from now on: 8–128 characters, not one of the most common ones. If absent, the present password stays. A
    /// guest account has none.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "kettle-orbit-quince", required = false)]
    new_password: Option<String>,
    /// A name for the device, shown in the list of sessions: at most 80 characters.
    #[schema(max_length = 80, example = "Noor's phone", required = false)]
    #[garde(length(chars, max = 80))]
    device: Option<String>,
}

/// Sign in with a recovery code or a link
///
/// Creates a session without the password, and ends all other sessions. The code or the link is used up. A link that a moderator
/// gave works after 24 hours; before that the answer is 403 `link-too-early`.
#[utoipa::path(responses((status = 401), (status = 403)))]
#[post("/v1/sessions/recovery")]
pub(super) async fn recover_session(
    request: HttpRequest,
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    Json(RecoveryRequest { code, new_password, device }): Json<RecoveryRequest>,
) -> Reply<Session, Created> {
    announce(&request, &app.throttle.policies("recovery"));
    let recovery = Recovery { code: &code, new_password: new_password.as_deref(), device, address };
    Ok(Answer::json(&app.accounts.recover(recovery).await?).uncompressed())
}

/// Get a nonce for an ID token
///
/// Returns a nonce for a request to an issuer. The ID token must carry it, or its SHA-256 in hex.
#[utoipa::path]
#[post("/v1/nonces")]
pub(super) async fn create_nonce(app: Data<App>) -> Reply<IssuedNonce, Created> {
    Ok(Answer::json(&app.identities.nonce()).uncompressed())
}

/// List the issuers of identities
///
/// Returns the issuers of OpenID Connect with which players sign in here, and whether links by mail lead back. The list is empty
/// if there are none.
#[utoipa::path]
#[get("/v1/issuers")]
pub(super) async fn list_issuers(app: Data<App>) -> Reply<IssuerList> {
    Ok(Answer::json(&app.identities.issuers(app.mail.is_available())))
}

/// A request to sign in with an identity.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct OidcSessionRequest {
    /// What the issuer gave.
    #[garde(dive)]
    identity: Evidence,
    /// The name that other players see, for a new account. If absent, the server chooses a neutral one.
    #[schema(value_type = contract::DisplayName, required = false)]
    display_name: Option<String>,
    /// A name for the device, shown in the list of sessions: at most 80 characters.
    #[schema(max_length = 80, example = "Noor's phone", required = false)]
    #[garde(length(chars, max = 80))]
    device: Option<String>,
}

/// Sign in with an issuer
///
/// Creates a session for the account of an identity that an issuer of `GET /v1/issuers` vouches for. If the identity has no
/// account, registers one, with recovery codes.
#[utoipa::path(responses((status = 403)))]
#[post("/v1/sessions/oidc")]
pub(super) async fn create_oidc_session(
    request: HttpRequest,
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    Json(OidcSessionRequest { identity, display_name, device }): Json<OidcSessionRequest>,
) -> Reply<Registration, Created> {
    announce(&request, &app.throttle.policies("identity"));
    let wish = SignIn { evidence: identity.into(), device, display_name, address };
    let SignedIn { account, session, recovery_codes } = app.identities.sign_in(wish).await?;
    Ok(Answer::json(&Registration { account, session, recovery_codes }).uncompressed())
}

/// Pass the second step
///
/// Passes the second step for this session, with a code of the authenticator app or one of the ten codes on paper. Each works once.
/// Until then every operation but this one, `GET /v1/me`, `GET /v1/me/second-step`, a refresh and the end of the session is refused
/// with 403 `second-step-required`. No password, link, recovery code or identity replaces it. Acts of moderators and admins need it
/// within the last 15 minutes, so ask again when they are refused.
#[utoipa::path]
#[post("/v1/sessions/current/second-step")]
pub(super) async fn pass_second_step(
    request: HttpRequest,
    app: Data<App>,
    PendingBearer(caller): PendingBearer,
    Json(SecondStepCode { code }): Json<SecondStepCode>,
) -> Reply<SecondStepView> {
    announce(&request, &app.throttle.policies("second-step"));
    Ok(Answer::json(&app.accounts.pass_second_step(&caller, &code).await?))
}

/// A request to refresh a session.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct RefreshRequest {
    /// The refresh token from the latest session answer.
    #[schema(max_length = 256)]
    refresh_token: String,
}

/// Refresh a session
///
/// Exchanges a refresh token for a new access token and the next refresh token. If the answer is lost, send the
/// same token again: you get the same successor until it is used, or until an access token issued with it is used.
/// After that, a used token ends the session. Parallel refreshes within 60 seconds always get the same successor.
#[utoipa::path(responses((status = 401)))]
#[post("/v1/sessions/refresh")]
pub(super) async fn refresh_session(
    request: HttpRequest,
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    Json(refreshing): Json<RefreshRequest>,
) -> Reply<Session> {
    announce(&request, &app.throttle.policies("refresh"));
    Ok(Answer::json(&app.sessions.refresh(&refreshing.refresh_token, address).await?).uncompressed())
}

/// The devices on which the account is signed in, newest first.
#[derive(Serialize, ToSchema)]
pub(super) struct DeviceList {
    /// The devices, newest first.
    #[schema(max_items = 1000)]
    items: Vec<devices::SignedIn>,
}

/// List your devices
///
/// Returns the devices on which the account is signed in, newest first. `current` marks the device of this request.
#[utoipa::path]
#[get("/v1/sessions")]
pub(super) async fn list_sessions(app: Data<App>, Bearer(caller): Bearer) -> Reply<DeviceList> {
    Ok(Answer::json(&DeviceList { items: app.sessions.devices(&caller).await? }))
}

/// Sign out all devices
///
/// Ends all of your sessions, including the session of this request.
#[utoipa::path]
#[delete("/v1/sessions")]
pub(super) async fn end_sessions(app: Data<App>, Bearer(caller): Bearer) -> EmptyReply {
    app.sessions.end_sessions(&caller).await?;
    Ok(NoContent)
}

/// Sign out a device
///
/// Ends one of your sessions. Its refresh token stops working at once. Its access tokens, streams and polls end
/// at once on the node that handles the request, and within two seconds on all other nodes. A session that waits for its second step may do it too.
#[utoipa::path]
#[delete("/v1/sessions/{id}")]
pub(super) async fn end_session(
    app: Data<App>,
    PendingBearer(caller): PendingBearer,
    id: Path<Uuid>,
) -> EmptyReply {
    app.sessions.end_session(&caller, *id).await?;
    Ok(NoContent)
}

/// Ask for a way back by mail
///
/// Sends links into the accounts of a verified address, in the language of the request. The answer is the same if there are
/// none. A link signs in once, within 30 minutes: send its token as the `code` of `POST /v1/sessions/recovery`.
#[utoipa::path]
#[post("/v1/password-resets")]
pub(super) async fn request_password_reset(
    request: HttpRequest,
    app: Data<App>,
    ClientAddress(client): ClientAddress,
    PreferredLanguage(language): PreferredLanguage,
    Json(EmailAddressRequest { address }): Json<EmailAddressRequest>,
) -> EmptyReply {
    announce(&request, &app.throttle.policies("reset"));
    app.mail.request_reset(&address, language, client).await?;
    Ok(NoContent)
}
