//! `POST /v1/nonces`.

use actix_web::{post, web};

use super::Access;
use crate::http::answer::{Answer, Created};
use crate::http::problem::Problem;
use crate::http::refusals::ReadRefusals;
use estimation_service::identities::IssuedNonce;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// Get a nonce for an ID token
///
/// Returns a nonce for a request to an issuer. The ID token must carry it, or its SHA-256 in hex.
#[utoipa::path(
    operation_id = "createNonce",
    tag = "sessions",
    responses((status = 201, description = "The nonce."), ReadRefusals),
    security(())
)]
#[post("/v1/nonces")]
pub(super) async fn create_nonce(app: web::Data<App>) -> Result<Created<IssuedNonce>, Problem> {
    Ok(Answer::json(&app.identities.nonce()).uncompressed())
}
