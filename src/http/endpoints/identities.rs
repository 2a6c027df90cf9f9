//! The accounts at issuers that are linked to an account.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, delete, get, post};
use garde::Validate;
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::answer::{Answer, Created, EmptyReply, NoContent, Reply};
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::rate::announce;
use estimation_service::identities::{self, IdentityList};
use estimation_service::services::App;

/// List your identities
///
/// Returns the identities of issuers that sign in to the account.
#[utoipa::path]
#[get("/v1/me/identities")]
pub(super) async fn list_identities(app: Data<App>, Bearer(caller): Bearer) -> Reply<IdentityList> {
    Ok(Answer::json(&app.identities.list(&caller).await?))
}

/// What an issuer gave a player: an `id_token` and perhaps a `code`, or a `code` with its `code_verifier`.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct Evidence {
    /// The name of the issuer, from `GET /v1/issuers`.
    #[schema(min_length = 1, max_length = 32, pattern = "^[a-z0-9-]{1,32}$", example = "apple")]
    #[garde(length(chars, min = 1, max = 32))]
    issuer: String,
    /// The nonce of `POST /v1/nonces`. Each is used once.
    #[schema(
        min_length = 54,
        max_length = 54,
        pattern = "^[A-Za-z0-9_-]{54}$",
        example = "AAAAAGlWYcDNXcKi0GaPLHyKU7FdY2J9rzDnVGH2xtAnNGdM3n2gKw"
    )]
    #[garde(length(chars, equal = 54))]
    nonce: String,
    /// The ID token of an app.
    #[schema(
        min_length = 1,
        max_length = 4096,
        pattern = r"^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$",
        example = "eyJhbGciOiJFUzI1NiIsImtpZCI6Im9uZSJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
        required = false
    )]
    #[garde(length(chars, min = 1, max = 4096))]
    id_token: Option<String>,
    /// An authorization code. With an `id_token`, the server keeps the issuer's refresh token for it, and revokes the
    /// player's grant with that when the account is deleted. Without one, the server exchanges the code for the ID token.
    #[schema(min_length = 1, max_length = 1024, pattern = "^[ -~]+$", example = "c0de", required = false)]
    #[garde(length(chars, min = 1, max = 1024))]
    code: Option<String>,
    /// The verifier of a web app's `code` (PKCE, RFC 7636).
    #[schema(
        min_length = 43,
        max_length = 128,
        pattern = "^[A-Za-z0-9._~-]{43,128}$",
        example = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        required = false
    )]
    #[garde(length(chars, min = 43, max = 128))]
    code_verifier: Option<String>,
}

impl From<Evidence> for identities::Evidence {
    fn from(evidence: Evidence) -> identities::Evidence {
        let Evidence { issuer, nonce, id_token, code, code_verifier } = evidence;
        identities::Evidence { issuer, nonce, id_token, code, code_verifier }
    }
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
#[utoipa::path]
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
#[utoipa::path]
#[delete("/v1/me/identities/{id}")]
pub(super) async fn remove_identity(app: Data<App>, Bearer(caller): Bearer, id: Path<Uuid>) -> EmptyReply {
    app.identities.remove(&caller, *id).await?;
    Ok(NoContent)
}
