//! The accounts at issuers that are linked to an account.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, delete, get, post};
use garde::Validate;
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::answer::{Answer, Created, Done, NoContent, Reply};
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::common::evidence::Evidence;
use crate::http::rate::announce;
use estimation_service::identities::IdentityList;
use estimation_service::services::App;

/// List your identities
///
/// Returns the identities of issuers that sign in to the account.
#[utoipa::path(responses((status = 200, description = "The identities.")))]
#[get("/v1/me/identities")]
pub(super) async fn list_identities(app: Data<App>, Bearer(caller): Bearer) -> Reply<IdentityList> {
    Ok(Answer::json(&app.identities.list(&caller).await?))
}

/// A request to link an identity.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct LinkRequest {
    /// What the issuer gave.
    #[garde(dive)]
    identity: Evidence,
}

/// Link an identity
///
/// Lets an identity of an issuer sign in to the account from now on. A guest account becomes a full account. The server refuses
/// an identity that has an account (`identity-taken`). A full account must have signed in within the last five minutes.
#[utoipa::path(responses((status = 201, description = "The identities of the account.")))]
#[post("/v1/me/identities")]
pub(super) async fn link_identity(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    Json(LinkRequest { identity }): Json<LinkRequest>,
) -> Reply<IdentityList, Created> {
    announce(&request, &app.throttle.policies("confirmation"));
    Ok(Answer::json(&app.identities.link(&caller, identity.into()).await?))
}

/// Remove an identity
///
/// The identity does not sign in to the account any more. The last way in stays (`last-way-in`): recovery codes are none. The
/// account must have signed in within the last five minutes.
#[utoipa::path(responses((status = 204, description = "The identity was removed.")))]
#[delete("/v1/me/identities/{id}")]
pub(super) async fn remove_identity(app: Data<App>, Bearer(caller): Bearer, id: Path<Uuid>) -> Done {
    app.identities.remove(&caller, *id).await?;
    Ok(NoContent)
}
