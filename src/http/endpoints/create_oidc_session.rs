//! `POST /v1/sessions/oidc`.

use actix_web::{HttpRequest, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Access;
use crate::http::address::ClientAddress;
use crate::http::answer::{Answer, Created};
use crate::http::body::Json;
use crate::http::common::evidence::Evidence;
use crate::http::common::registration::Registration;
use crate::http::contract;
use crate::http::field_errors::Body;
use crate::http::problem::Problem;
use crate::http::rate::announce;
use crate::http::refusals::PublicRefusals;
use estimation_service::identities::{SignIn, SignedIn};
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// A request to sign in with an identity.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OidcSessionRequest {
    /// What the issuer gave.
    identity: Evidence,
    /// The name that other players see, for a new account. If absent, the server chooses a neutral one.
    #[schema(value_type = contract::DisplayName, required = false)]
    display_name: Option<String>,
    /// A name for the device, shown in the list of sessions: at most 80 characters.
    #[schema(max_length = 80, example = "Noor's phone", required = false)]
    device: Option<String>,
}

impl Body for OidcSessionRequest {}

/// Sign in with an issuer
///
/// Creates a session for the account of an identity that an issuer of `GET /v1/issuers` vouches for. If the identity has no
/// account, registers one, with recovery codes.
#[utoipa::path(
    operation_id = "createOidcSession",
    tag = "sessions",
    responses(
        (status = 201, description = "The session was created."),
        (status = 403, description = "The server does not accept what the issuer gave.",
            content_type = "application/problem+json", body = Problem),
        PublicRefusals
    ),
    security(())
)]
#[post("/v1/sessions/oidc")]
pub(super) async fn create_oidc_session(
    request: HttpRequest,
    app: web::Data<App>,
    ClientAddress(address): ClientAddress,
    Json(OidcSessionRequest { identity, display_name, device }): Json<OidcSessionRequest>,
) -> Result<Created<Registration>, Problem> {
    announce(&request, &app.throttle.policies("identity"));
    let wish = SignIn { evidence: identity.into(), device, display_name, address };
    let SignedIn { account, session, recovery_codes } = app.identities.sign_in(wish).await?;
    Ok(Answer::json(&Registration { account, session, recovery_codes }).uncompressed())
}
