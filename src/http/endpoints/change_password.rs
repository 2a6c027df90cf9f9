//! `PUT /v1/me/password`.

use actix_web::{HttpRequest, put, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::NoContent;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::WriteRefusals;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

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
