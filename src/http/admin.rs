//! `/v1/admin`: granting roles.

use actix_web::{HttpResponse, put, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::bearer::Bearer;
use super::body::Json;
use super::contract;
use super::field_errors::Body;
use super::problem::Problem;
use super::refusals::WriteRefusals;
use crate::app::services::App;
use crate::auth::tokens::Role;

/// A role to be given.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RoleGrant {
    /// The role from now on.
    #[schema(value_type = contract::Role)]
    role: Role,
}

impl Body for RoleGrant {}

/// Give an account a role
///
/// For admins. Every grant is recorded. Access tokens of the former role end at once on the node that is
/// asked, and within two seconds on all others; refreshing gets tokens of the new one.
#[utoipa::path(
    operation_id = "grantRole",
    tag = "admin",
    params(("id" = Uuid, Path, description = "The account's id.")),
    responses((status = 200, description = "The account as it is now.", body = contract::Account), WriteRefusals)
)]
#[put("/v1/admin/accounts/{id}/role")]
pub(super) async fn grant_role(
    app: web::Data<App>,
    Bearer(caller): Bearer,
    id: web::Path<Uuid>,
    Json(grant): Json<RoleGrant>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(app.roles.grant(&caller, *id, grant.role).await?))
}
