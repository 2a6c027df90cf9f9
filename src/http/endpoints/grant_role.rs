//! `PUT /v1/admin/accounts/{id}/role`.

use actix_web::{put, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Access;
use crate::http::answer::Answer;
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::refusals::WriteRefusals;
use estimation_engine::player::AccountId;
use estimation_service::accounts::Account;
use estimation_service::auth::tokens::Role;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Admin;

/// A request to change the role of an account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GrantRoleRequest {
    /// The new role.
    role: Role,
}

impl Body for GrantRoleRequest {}

/// Grant a role to an account
///
/// For admins who signed in within the last 5 minutes; otherwise the answer is 401 `recent-sign-in-required`. Nobody
/// changes their own role (`own-role`), and the last admin keeps the role (`last-admin`). The server records every
/// grant. Access tokens with the former role stop working at once on the
/// node that handles the request, and within two seconds on all other nodes. Refreshing the session returns tokens
/// with the new role.
#[utoipa::path(
    operation_id = "grantRole",
    tag = "admin",
    params(("id" = Uuid, Path, description = "The account's id.")),
    responses((status = 200, description = "The updated account."), WriteRefusals)
)]
#[put("/v1/admin/accounts/{id}/role")]
pub(super) async fn grant_role(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
    Json(grant): Json<GrantRoleRequest>,
) -> Result<Answer<Account>, Problem> {
    Ok(Answer::json(&app.roles.grant(&caller, AccountId::new(*id), grant.role).await?))
}
