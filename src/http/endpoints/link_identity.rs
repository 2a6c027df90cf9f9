//! `POST /v1/me/identities`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::answer::{Answer, Created};
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::common::evidence::Evidence;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::WriteRefusals;
use estimation_service::identities::IdentityList;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Own;

/// A request to link an identity.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkRequest {
    /// What the issuer gave.
    identity: Evidence,
}

impl Body for LinkRequest {}

/// Link an identity
///
/// Lets an identity of an issuer sign in to the account from now on. A guest account becomes a full account. The server refuses
/// an identity that has an account (`identity-taken`). A full account must have signed in within the last five minutes.
#[utoipa::path(
    operation_id = "linkIdentity",
    tag = "accounts",
    responses((status = 201, description = "The identities of the account."), WriteRefusals)
)]
#[post("/v1/me/identities")]
pub(super) async fn link_identity(
    request: HttpRequest,
    app: web::Data<App>,
    Bearer(caller): Bearer,
    Json(LinkRequest { identity }): Json<LinkRequest>,
) -> Result<Created<IdentityList>, Problem> {
    announce(&request, &app.throttle.policies("confirmation"));
    Ok(Answer::json(&app.identities.link(&caller, identity.into()).await?))
}
