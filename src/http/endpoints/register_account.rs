//! `POST /v1/accounts`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::{Answer, Created};
use crate::http::body::Json;
use crate::http::common::registration::Registration;
use crate::http::contract;
use crate::http::field_errors::{Body, errors_of, text};
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::PublicRefusals;
use estimation_service::accounts::account_faults;
use estimation_service::base::field_error::FieldError;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

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
pub(super) async fn register_account(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(new): Json<RegisterRequest>,
) -> Result<Created<Registration>, Problem> {
    announce(&request, &app.throttle.policies("account"));
    let name = new.display_name.as_deref();
    let (account, session, recovery_codes) =
        app.accounts.register(&new.username, &new.password, name, address).await?;
    Ok(Answer::json(&Registration { account, session, recovery_codes }).uncompressed())
}
