//! `GET /.well-known/jwks.json`.

use actix_web::{get, web};

use super::Access;
use crate::http::answer::Answer;
use crate::http::refusals::ReadRefusals;
use estimation_service::auth::keys::Jwks;
use estimation_service::services::App;

pub(super) const ACCESS: Access = Access::Public;

/// List the public keys
///
/// Returns the public keys that verify access tokens and records, as a JWK set (RFC 7517).
#[utoipa::path(
    operation_id = "getJwks",
    tag = "service",
    responses((status = 200, description = "The public keys."), ReadRefusals),
    security(())
)]
#[get("/.well-known/jwks.json")]
pub(super) async fn get_jwks(app: web::Data<App>) -> Answer<Jwks> {
    Answer::json(&app.keys.jwks())
}
