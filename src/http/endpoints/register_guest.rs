//! `POST /v1/accounts/guest`.

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
    Ok(Answer::json(&Registration { account, session, recovery_codes: Vec::new() }).uncompressed())
}
