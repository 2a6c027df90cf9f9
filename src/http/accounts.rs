//! `/v1/accounts`: registering, with credentials or as a guest.

use actix_web::{HttpRequest, HttpResponse, post, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::address::ClientAddress;
use super::body::Json;
use super::contract;
use super::field_errors::{Body, text};
use super::problem::Problem;
use super::rate::announce;
use super::refusals::PublicRefusals;
use crate::app::accounts::{Account, account_faults};
use crate::app::failure::Failure;
use crate::app::services::App;
use crate::auth::sessions::Session;

/// A new account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewAccount {
    /// The name to sign in with.
    #[schema(value_type = contract::Username)]
    username: String,
    /// 8–128 characters, not one of the common ones.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: String,
    /// The name others see. Without it a neutral one is given, such as `Player 4821`; others never see the
    /// username.
    #[schema(value_type = contract::NewDisplayName, required = false)]
    display_name: Option<String>,
}

impl Body for NewAccount {
    fn faults(fields: &Map<String, Value>) -> Vec<Failure> {
        account_faults(text(fields, "username"), text(fields, "password"), text(fields, "display_name"))
    }
}

/// An account that was made, signed in.
#[derive(Serialize, ToSchema)]
pub(super) struct Registered {
    /// The account.
    #[schema(value_type = contract::Account)]
    account: Account,
    /// Its first session.
    #[schema(value_type = contract::Session)]
    session: Session,
}

/// Make an account
///
/// Makes an account with a username and a password, and signs it in.
#[utoipa::path(
    operation_id = "registerAccount",
    tag = "accounts",
    responses((status = 201, description = "The account was made.", body = Registered), PublicRefusals),
    security(())
)]
#[post("/v1/accounts")]
pub(super) async fn register(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(new): Json<NewAccount>,
) -> Result<HttpResponse, Problem> {
    announce(&request, &app.throttle.policies("account"));
    let name = new.display_name.as_deref();
    let (account, session) = app.accounts.register(&new.username, &new.password, name, address).await?;
    Ok(HttpResponse::Created().json(Registered { account, session }))
}

/// A new guest.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewGuest {
    /// The name others see. Without it a neutral one is given, such as `Guest 4821`.
    #[schema(value_type = contract::NewDisplayName, required = false)]
    display_name: Option<String>,
}

impl Body for NewGuest {
    fn faults(fields: &Map<String, Value>) -> Vec<Failure> {
        account_faults(None, None, text(fields, "display_name"))
    }
}

/// Play as a guest
///
/// Makes an account without username and password, and signs it in. It lives as long as its session is used:
/// after 90 days without, it is erased. `PUT /v1/me/credentials` makes it a full account.
#[utoipa::path(
    operation_id = "registerGuest",
    tag = "accounts",
    responses((status = 201, description = "The guest's account was made.", body = Registered), PublicRefusals),
    security(())
)]
#[post("/v1/accounts/guest")]
pub(super) async fn register_guest(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(new): Json<NewGuest>,
) -> Result<HttpResponse, Problem> {
    announce(&request, &app.throttle.policies("account"));
    let (account, session) = app.accounts.register_guest(new.display_name.as_deref(), address).await?;
    Ok(HttpResponse::Created().json(Registered { account, session }))
}
