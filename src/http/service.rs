//! The service about itself: health, keys, problems.

use actix_web::{HttpResponse, get, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::contract;
use super::problem::{PROBLEMS, Problem};
use super::refusals::ReadRefusals;
use crate::application::app::App;

/// How the service is.
#[derive(Serialize, ToSchema)]
pub(super) struct Health {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

/// A kind of problem.
#[derive(Serialize, ToSchema)]
pub(super) struct ProblemKind {
    /// Its stable name.
    code: &'static str,
    /// The HTTP status it comes with.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// Its title.
    title: &'static str,
    /// What it means and what to do about it.
    description: &'static str,
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
/// Answers 503 while the database is away, and when the node is stopping.
#[utoipa::path(
    operation_id = "getReadiness",
    tag = "service",
    responses((status = 200, description = "It is ready.", body = Health), ReadRefusals),
    security(())
)]
#[get("/readyz")]
pub(super) async fn ready(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    if app.is_ready().await {
        Ok(HttpResponse::Ok().json(Health { status: "ok" }))
    } else {
        Err(Problem::new("unavailable", "The service is not ready.")
            .header(actix_web::http::header::RETRY_AFTER, "1"))
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
    HttpResponse::Ok().json(app.jwks())
}

/// Describe a problem
///
/// What a problem's code means and what to do about it: where the `type` of a problem leads.
#[utoipa::path(
    operation_id = "getProblem",
    tag = "service",
    params(("code" = contract::ProblemCode, Path, description = "The problem's code.")),
    responses((status = 200, description = "The kind of problem.", body = ProblemKind), ReadRefusals),
    security(())
)]
#[get("/problems/{code}")]
pub(super) async fn problem(code: web::Path<String>) -> Result<HttpResponse, Problem> {
    let found = PROBLEMS.iter().find(|entry| entry.code == *code);
    let entry = found
        .ok_or_else(|| Problem::new("not-found", "There is no such problem.").with("what", "problem"))?;
    Ok(HttpResponse::Ok().json(ProblemKind {
        code: entry.code,
        status: entry.status,
        title: entry.title,
        description: entry.about,
    }))
}
