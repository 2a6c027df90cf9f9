//! `DELETE /v1/me`.

use actix_web::{HttpRequest, delete, web};
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

/// A request to delete the account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteAccountRequest {
    /// The account's password. Accounts without one omit it.
    #[schema(min_length = 8, max_length = 128, format = Password, example = "plum-kettle-orbit")]
    password: Option<String>,
}

impl Body for DeleteAccountRequest {}

/// Delete your account
///
/// The server deletes personal data and all sessions at once. The account can no longer take a seat. Then the
/// server frees the account's seats in lobbies, and bots replace it in running games. Past games stay unchanged,
/// under a pseudonym. An account must send its password; without one, it sends `{}`, and a
/// full account must have signed in within the last five minutes. The last admin cannot delete its
/// account (`last-admin`).
#[utoipa::path(
    operation_id = "deleteMe",
    tag = "accounts",
    request_body = DeleteAccountRequest,
    responses((status = 204, description = "The account is deleted."), WriteRefusals)
)]
#[delete("/v1/me")]
pub(super) async fn delete_me(
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
