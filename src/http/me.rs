//! `/v1/me`: the caller's account: showing, changing, exporting and deleting it.

use actix_web::{HttpRequest, HttpResponse, delete, get, patch, put, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::address::ClientAddress;
use super::bearer::Bearer;
use super::body::Json;
use super::contract;
use super::field_errors::{Body, text};
use super::problem::Problem;
use super::rate::announce;
use super::refusals::{CallerRefusals, WriteRefusals};
use crate::app::accounts::account_faults;
use crate::app::failure::Failure;
use crate::app::services::App;

/// What is to change.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileChange {
    /// The name others see.
    #[schema(value_type = contract::NewDisplayName, required = false)]
    display_name: Option<String>,
}

impl Body for ProfileChange {
    fn faults(fields: &Map<String, Value>) -> Vec<Failure> {
        account_faults(None, None, text(fields, "display_name"))
    }
}

/// An old password and a new one.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PasswordChange {
    /// The password so far.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    current_password: String,
    /// The password from now on: 8–128 characters, not one of the common ones.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "kettle-orbit-quince")]
    new_password: String,
}

impl Body for PasswordChange {}

/// What a guest is to sign in with.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewCredentials {
    /// The name to sign in with.
    #[schema(value_type = contract::Username)]
    username: String,
    /// 8–128 characters, not one of the common ones.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: String,
}

impl Body for NewCredentials {
    fn faults(fields: &Map<String, Value>) -> Vec<Failure> {
        account_faults(text(fields, "username"), text(fields, "password"), None)
    }
}

/// What confirms a deletion.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Farewell {
    /// The account's password; not needed by guests.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: Option<String>,
}

impl Body for Farewell {}

/// Show one's own account
///
/// The account that the access token belongs to. Where `display_name_problem` is not null, ask the player for
/// another display name and send it with `PATCH /v1/me`.
#[utoipa::path(
    operation_id = "getMe",
    tag = "accounts",
    responses((status = 200, description = "The account.", body = contract::Account), CallerRefusals)
)]
#[get("/v1/me")]
pub(super) async fn show(app: web::Data<App>, Bearer(caller): Bearer) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.accounts.me(&caller).await?))
}

/// Change one's own account
///
/// Changes what is given and leaves the rest. A new name may take five seconds to be seen everywhere.
#[utoipa::path(
    operation_id = "updateMe",
    tag = "accounts",
    responses((status = 200, description = "The account as it is now.", body = contract::Account), WriteRefusals)
)]
#[patch("/v1/me")]
pub(super) async fn update(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Json(change): Json<ProfileChange>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.accounts.rename(&caller, change.display_name.as_deref()).await?))
}

/// Change one's password
///
/// Needs the current password, and signs out all other devices.
#[utoipa::path(
    operation_id = "changePassword",
    tag = "accounts",
    responses((status = 204, description = "The password was changed."), WriteRefusals)
)]
#[put("/v1/me/password")]
pub(super) async fn change_password(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    ClientAddress(address): ClientAddress,
    Json(change): Json<PasswordChange>,
) -> Result<HttpResponse, Problem> {
    app.accounts.change_password(&caller, &change.current_password, &change.new_password, address).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Make a guest a full account
///
/// Gives a guest a username and a password. Its games and sessions stay.
#[utoipa::path(
    operation_id = "giveCredentials",
    tag = "accounts",
    responses((status = 200, description = "The account as it is now.", body = contract::Account), WriteRefusals)
)]
#[put("/v1/me/credentials")]
pub(super) async fn give_credentials(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    ClientAddress(address): ClientAddress,
    Json(new): Json<NewCredentials>,
) -> Result<HttpResponse, Problem> {
    announce(&request, &app.throttle.policies("credentials"));
    let account = app.accounts.give_credentials(&caller, &new.username, &new.password, address).await?;
    Ok(HttpResponse::Ok().json(account))
}

/// Export one's own account
///
/// Everything that is held about the account. Passwords and tokens are held as hashes only and not told. What
/// was played stands in the records of the games, which name accounts by their ids.
#[utoipa::path(
    operation_id = "exportMe",
    tag = "accounts",
    responses((status = 200, description = "Everything.", body = contract::Export), CallerRefusals)
)]
#[get("/v1/me/export")]
pub(super) async fn export(app: web::Data<App>, Bearer(caller): Bearer) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.accounts.export(&caller).await?))
}

/// Delete one's own account
///
/// Personal data and all sessions are gone at once, and the account can take no seat from then on. Then its
/// seats in lobbies are freed, and bots play on in running games. Games that were played stay as they are, under
/// a pseudonym. A full account has to say its password; a guest sends `{}`.
#[utoipa::path(
    operation_id = "deleteMe",
    tag = "accounts",
    request_body = Farewell,
    responses((status = 204, description = "The account is gone."), WriteRefusals)
)]
#[delete("/v1/me")]
pub(super) async fn delete(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    ClientAddress(address): ClientAddress,
    Json(farewell): Json<Farewell>,
) -> Result<HttpResponse, Problem> {
    app.accounts.erase_me(&caller, farewell.password.as_deref(), address).await?;
    Ok(HttpResponse::NoContent().finish())
}
