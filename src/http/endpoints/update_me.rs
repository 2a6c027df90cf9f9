//! `PATCH /v1/me`.

use actix_web::{patch, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::contract;
use crate::http::field_errors::{Body, errors_of, text};
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_service::accounts::{Account, account_faults};
use estimation_service::base::field_error::FieldError;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

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

/// Change your account
///
/// Changes the given fields and leaves the rest unchanged. A new name may take five seconds to appear everywhere.
#[utoipa::path(
    operation_id = "updateMe",
    tag = "accounts",
    responses((status = 200, description = "The updated account."), WriteRefusals)
)]
#[patch("/v1/me")]
pub(super) async fn update_me(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Json(change): Json<UpdateProfileRequest>,
) -> Result<Answer<Account>, Problem> {
    Ok(Answer::json(&app.accounts.rename(&caller, change.display_name.as_deref()).await?))
}
