//! `/v1/me`: the caller's account: showing, changing, exporting and deleting it.

use actix_web::{HttpRequest, delete, get, patch, put, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::address::ClientAddress;
use super::answer::{Answer, NoContent};
use super::bearer::Bearer;
use super::body::Json;
use super::contract;
use super::field_errors::{Body, errors_of, text};
use super::problem::Problem;
use super::rate::announce;
use super::refusals::{CallerRefusals, WriteRefusals};
use estimation_service::accounts::export::Export;
use estimation_service::accounts::{Account, account_faults};
use estimation_service::base::field_error::FieldError;
use estimation_service::services::App;

/// A request to change the account's profile. Absent fields stay unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UpdateProfileRequest {
    /// The name that other players see.
    #[schema(value_type = contract::DisplayName, required = false)]
    display_name: Option<String>,
}

impl Body for UpdateProfileRequest {
    fn faults(fields: &Map<String, Value>) -> Vec<FieldError> {
        errors_of(&account_faults(None, None, text(fields, "display_name")))
    }
}

/// A request to change the password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangePasswordRequest {
    /// The current password.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    current_password: String,
    /// The new password: 8–128 characters, not one of the most common ones.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "kettle-orbit-quince")]
    new_password: String,
}

impl Body for ChangePasswordRequest {}

/// A request to set a guest's username and password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetCredentialsRequest {
    /// The username for signing in.
    #[schema(value_type = contract::Username)]
    username: String,
    /// The password: 8–128 characters, not one of the most common ones.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: String,
}

impl Body for SetCredentialsRequest {
    fn faults(fields: &Map<String, Value>) -> Vec<FieldError> {
        errors_of(&account_faults(text(fields, "username"), text(fields, "password"), None))
    }
}

/// A request to delete the account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteAccountRequest {
    /// The account's password. Guests omit it.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: Option<String>,
}

impl Body for DeleteAccountRequest {}

/// Show your account
///
/// Returns the account of the access token. If `display_name_problem` is not null, ask the player for another
/// display name and send it with `PATCH /v1/me`.
#[utoipa::path(
    operation_id = "getMe",
    tag = "accounts",
    responses((status = 200, description = "The account."), CallerRefusals)
)]
#[get("/v1/me")]
pub(super) async fn show(app: web::Data<App>, Bearer(caller): Bearer) -> Result<Answer<Account>, Problem> {
    Ok(Answer::json(&app.accounts.me(&caller).await?))
}

/// Change your account
///
/// Changes the given fields and leaves the rest unchanged. A new name may take five seconds to appear everywhere.
#[utoipa::path(
    operation_id = "updateMe",
    tag = "accounts",
    responses((status = 200, description = "The updated account."), WriteRefusals)
)]
#[patch("/v1/me")]
pub(super) async fn update(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Json(change): Json<UpdateProfileRequest>,
) -> Result<Answer<Account>, Problem> {
    Ok(Answer::json(&app.accounts.rename(&caller, change.display_name.as_deref()).await?))
}

/// Change your password
///
/// Requires the current password. Signs out all other devices.
#[utoipa::path(
    operation_id = "changePassword",
    tag = "accounts",
    responses((status = 204, description = "The password was changed."), WriteRefusals)
)]
#[put("/v1/me/password")]
pub(super) async fn change_password(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    ClientAddress(address): ClientAddress,
    Json(change): Json<ChangePasswordRequest>,
) -> Result<NoContent, Problem> {
    announce(&request, &app.throttle.policies("confirmation"));
    app.accounts.change_password(&caller, &change.current_password, &change.new_password, address).await?;
    Ok(NoContent)
}

/// Make a guest account a full account
///
/// Sets a username and a password for a guest account. The account keeps its games and sessions.
#[utoipa::path(
    operation_id = "setCredentials",
    tag = "accounts",
    responses((status = 200, description = "The updated account."), WriteRefusals)
)]
#[put("/v1/me/credentials")]
pub(super) async fn give_credentials(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    ClientAddress(address): ClientAddress,
    Json(new): Json<SetCredentialsRequest>,
) -> Result<Answer<Account>, Problem> {
    announce(&request, &app.throttle.policies("credentials"));
    let account = app.accounts.give_credentials(&caller, &new.username, &new.password, address).await?;
    Ok(Answer::json(&account))
}

/// Export your account
///
/// Returns all data that the server stores about the account. The server stores passwords and tokens only as
/// hashes; the export does not include them. The moves of each game are in its record, which names accounts by
/// their ids.
#[utoipa::path(
    operation_id = "exportMe",
    tag = "accounts",
    responses((status = 200, description = "All data about the account."), CallerRefusals)
)]
#[get("/v1/me/export")]
pub(super) async fn export(app: web::Data<App>, Bearer(caller): Bearer) -> Result<Answer<Export>, Problem> {
    Ok(Answer::json(&app.accounts.export(&caller).await?))
}

/// Delete your account
///
/// The server deletes personal data and all sessions at once. The account can no longer take a seat. Then the
/// server frees the account's seats in lobbies, and bots replace it in running games. Past games stay unchanged,
/// under a pseudonym. A full account must send its password; a guest sends `{}`. The last admin cannot delete its
/// account (`last-admin`).
#[utoipa::path(
    operation_id = "deleteMe",
    tag = "accounts",
    request_body = DeleteAccountRequest,
    responses((status = 204, description = "The account is deleted."), WriteRefusals)
)]
#[delete("/v1/me")]
pub(super) async fn delete(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    ClientAddress(address): ClientAddress,
    Json(farewell): Json<DeleteAccountRequest>,
) -> Result<NoContent, Problem> {
    announce(&request, &app.throttle.policies("confirmation"));
    app.accounts.erase_me(&caller, farewell.password.as_deref(), address).await?;
    Ok(NoContent)
}
