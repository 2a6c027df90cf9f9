//! Accounts over HTTP: registering, and one's own profile.

use actix_web::{HttpResponse, get, post, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::bearer::Bearer;
use super::body::Json;
use super::contract;
use super::problem::Problem;
use super::refusals::{CallerRefusals, PublicRefusals};
use crate::application::accounts::Account;
use crate::application::app::App;
use crate::application::sessions::Session;

/// A new account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewAccount {
    /// The name to sign in with: 3–32 letters, digits, `-`, `_` and `.`, unique without regard to case.
    #[schema(min_length = 3, max_length = 32, pattern = "^[A-Za-z0-9._-]{3,32}$", example = "noor")]
    username: String,
    /// 8–128 characters, not one of the common ones.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: String,
    /// The name others see; the username if nothing is given. 1–40 characters, no control characters.
    #[schema(min_length = 1, max_length = 40, example = "Noor")]
    display_name: Option<String>,
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
    app: web::Data<App>,
    Json(new): Json<NewAccount>,
) -> Result<HttpResponse, Problem> {
    let (account, session) = app.register(&new.username, &new.password, new.display_name.as_deref()).await?;
    Ok(HttpResponse::Created().json(Registered { account, session }))
}

/// Show one's own account
///
/// The account that the access token belongs to.
#[utoipa::path(
    operation_id = "getMe",
    tag = "accounts",
    responses((status = 200, description = "The account.", body = contract::Account), CallerRefusals)
)]
#[get("/v1/me")]
pub(super) async fn me(app: web::Data<App>, Bearer(caller): Bearer) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.me(&caller).await?))
}
