//! `/v1/accounts`: registering, with credentials or as a guest.

use actix_web::{HttpRequest, post, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::address::ClientAddress;
use super::answer::{Answer, Created};
use super::body::Json;
use super::contract;
use super::field_errors::{Body, errors_of, text};
use super::problem::Problem;
use super::rate::announce;
use super::refusals::PublicRefusals;
use estimation_service::accounts::{Account, account_faults};
use estimation_service::auth::sessions::Session;
use estimation_service::base::field_error::FieldError;
use estimation_service::services::App;

/// A request to create an account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RegisterRequest {
    /// The username for signing in.
    #[schema(value_type = contract::Username)]
    username: String,
    /// The password: 8–128 characters, not one of the most common ones.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: String,
    /// The name that other players see. If absent, the server chooses a neutral name such as `Player 4821`. Other
    /// players never see the username.
    #[schema(value_type = contract::DisplayName, required = false)]
    display_name: Option<String>,
}

impl Body for RegisterRequest {
    fn faults(fields: &Map<String, Value>) -> Vec<FieldError> {
        errors_of(&account_faults(
            text(fields, "username"),
            text(fields, "password"),
            text(fields, "display_name"),
        ))
    }
}

/// A new account and its first session.
#[derive(Serialize, ToSchema)]
pub(super) struct Registration {
    /// The account.
    account: Account,
    /// The account's first session.
    session: Session,
}

/// Create an account
///
/// Creates an account with a username and a password, and signs it in.
#[utoipa::path(
    operation_id = "registerAccount",
    tag = "accounts",
    responses((status = 201, description = "The account was created."), PublicRefusals),
    security(())
)]
#[post("/v1/accounts")]
pub(super) async fn register(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(new): Json<RegisterRequest>,
) -> Result<Created<Registration>, Problem> {
    announce(&request, &app.throttle.policies("account"));
    let name = new.display_name.as_deref();
    let (account, session) = app.accounts.register(&new.username, &new.password, name, address).await?;
    Ok(Answer::json(&Registration { account, session }))
}

/// A request to create a guest account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RegisterGuestRequest {
    /// The name that other players see. If absent, the server chooses a neutral name such as `Guest 4821`.
    #[schema(value_type = contract::DisplayName, required = false)]
    display_name: Option<String>,
}

impl Body for RegisterGuestRequest {
    fn faults(fields: &Map<String, Value>) -> Vec<FieldError> {
        errors_of(&account_faults(None, None, text(fields, "display_name")))
    }
}

/// Create a guest account
///
/// Creates an account without username and password, and signs it in. The server deletes the account when its
/// session has been unused for 90 days. `PUT /v1/me/credentials` makes it a full account.
#[utoipa::path(
    operation_id = "registerGuest",
    tag = "accounts",
    responses((status = 201, description = "The guest account was created."), PublicRefusals),
    security(())
)]
#[post("/v1/accounts/guest")]
pub(super) async fn register_guest(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(new): Json<RegisterGuestRequest>,
) -> Result<Created<Registration>, Problem> {
    announce(&request, &app.throttle.policies("account"));
    let (account, session) = app.accounts.register_guest(new.display_name.as_deref(), address).await?;
    Ok(Answer::json(&Registration { account, session }))
}
