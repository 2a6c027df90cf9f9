//! `/healthz`, `/readyz`, and `/.well-known/jwks.json`: the public keys.

use actix_web::http::header::RETRY_AFTER;
use actix_web::{HttpResponse, get, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::contract;
use super::problem::{Problem, ProblemCode};
use super::refusals::ReadRefusals;
use crate::app::services::App;

/// How the service is.
#[derive(Serialize, ToSchema)]
pub(super) struct Health {
    /// Always `ok`.
    #[schema(example = "ok", pattern = "^ok$", min_length = 2, max_length = 2)]
    status: &'static str,
}

/// Tell that the process lives
///
/// Answers as long as the process can answer at all.
#[utoipa::path(
    operation_id = "getHealth",
    tag = "service",
    responses((status = 200, description = "It lives.", body = Health), ReadRefusals),
    security(())
)]
#[get("/healthz")]
pub(super) async fn health() -> HttpResponse {
    HttpResponse::Ok().json(Health { status: "ok" })
}

/// Tell whether the service can work
///
/// Answers 503 when the node cannot work. The member `reason` says why: `stopping`, `database-silent` when the
/// database does not answer, `writes-waiting` when a change has waited to be written for 5 seconds, `clock-skewed` when
/// the node's clock is wrong, or `database-replaced` when SQLite's file was deleted or replaced while it was open; only a
/// restart helps then.
#[utoipa::path(
    operation_id = "getReadiness",
    tag = "service",
    responses((status = 200, description = "It is ready.", body = Health), ReadRefusals),
    security(())
)]
#[get("/readyz")]
pub(super) async fn ready(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    match app.readiness.check().await {
        Ok(()) => Ok(HttpResponse::Ok().json(Health { status: "ok" })),
        Err(reason) => {
            Err(Problem::new(ProblemCode::Unavailable { reason: Some(reason.as_str()) }, reason.describe())
                .header(RETRY_AFTER, "1"))
        }
    }
}

/// List the public keys
///
/// The public halves of the keys that sign access tokens and records, as a JWK set (RFC 7517).
#[utoipa::path(
    operation_id = "getJwks",
    tag = "service",
    responses((status = 200, description = "The keys.", body = contract::Jwks), ReadRefusals),
    security(())
)]
#[get("/.well-known/jwks.json")]
pub(super) async fn jwks(app: web::Data<App>) -> HttpResponse {
    HttpResponse::Ok().json(app.keys.jwks())
}
