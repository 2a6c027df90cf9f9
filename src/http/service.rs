//! The service about itself: health, keys, problems.

use actix_web::http::header::RETRY_AFTER;
use actix_web::{HttpRequest, HttpResponse, get, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::caching::PUBLIC;
use super::contract;
use super::language::Language;
use super::page;
use super::problem::{PROBLEMS, Problem};
use super::refusals::ReadRefusals;
use crate::app::state::App;

/// How the service is.
#[derive(Serialize, ToSchema)]
pub(super) struct Health {
    /// Always `ok`.
    #[schema(example = "ok", pattern = "^ok$", min_length = 2, max_length = 2)]
    status: &'static str,
}

/// A kind of problem.
#[derive(Serialize, ToSchema)]
pub(super) struct ProblemKind {
    /// Its stable name.
    #[schema(value_type = contract::ProblemCode)]
    code: &'static str,
    /// The HTTP status it comes with.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// Its title.
    #[schema(min_length = 1, max_length = 200)]
    title: &'static str,
    /// What it means and what to do about it.
    #[schema(min_length = 1, max_length = 400)]
    description: &'static str,
    /// The members it always has beside the standard ones.
    #[schema(value_type = Vec<contract::MemberName>, max_items = 40)]
    members: &'static [&'static str],
    /// The members it may have as well.
    #[schema(value_type = Vec<contract::MemberName>, max_items = 40)]
    perhaps: &'static [&'static str],
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
        Err(reason) => Err(Problem::new("unavailable", reason.describe())
            .with("reason", reason.as_str())
            .header(RETRY_AFTER, "1")),
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

/// Describe a problem
///
/// What a problem's code means and what to do about it: where the `type` of a problem leads.
#[utoipa::path(
    operation_id = "getProblem",
    tag = "service",
    params(("code" = contract::ProblemCode, Path, description = "The problem's code.")),
    responses(
        (status = 200, description = "The kind of problem: as JSON, or as a page for people where `Accept` prefers HTML.",
            content((ProblemKind = "application/json"), (contract::ProblemPage = "text/html"))),
        ReadRefusals
    ),
    security(())
)]
#[get("/problems/{code}")]
pub(super) async fn problem(
    request: HttpRequest,
    code: web::Path<String>,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let found = PROBLEMS.iter().find(|entry| entry.code == *code);
    let entry = found
        .ok_or_else(|| Problem::new("not-found", "There is no such problem.").with("what", "problem"))?;
    if page::is_wanted(request.headers()) {
        return Ok(language.mark(page::answer(entry, language)));
    }
    Ok(language.mark(HttpResponse::Ok().insert_header(PUBLIC).json(ProblemKind {
        code: entry.code,
        status: entry.status,
        title: language.problem_title(entry),
        description: entry.about,
        members: entry.members,
        perhaps: entry.perhaps,
    })))
}
