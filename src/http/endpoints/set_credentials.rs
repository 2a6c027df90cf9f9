//! `PUT /v1/me/credentials`.

use actix_web::{HttpRequest, put, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::contract;
use crate::http::field_errors::{Body, errors_of, text};
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::WriteRefusals;
use estimation_service::accounts::{Account, account_faults};
use estimation_service::base::field_error::FieldError;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// A request to set a username and a password.
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

/// Set a username and a password
///
/// Sets a username and a password for an account without them. A guest account becomes a full account, and keeps its games and
/// sessions. A full account must have signed in within the last five minutes.
#[utoipa::path(
    operation_id = "setCredentials",
    tag = "accounts",
    responses((status = 200, description = "The updated account."), WriteRefusals)
)]
#[put("/v1/me/credentials")]
pub(super) async fn set_credentials(
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
