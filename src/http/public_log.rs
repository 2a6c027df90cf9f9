//! `/log/…`: the public log, as C2SP specifies it (tlog-checkpoint, tlog-tiles). These paths are not in the
//! OpenAPI document: their contract is that of C2SP.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::web::ServiceConfig;
use actix_web::{HttpResponse, get, web};

use super::caching::{IMMUTABLE, PUBLIC};
use super::compression::PLAIN;
use super::problem::Problem;
use estimation_service::services::App;
use estimation_tlog::Resource;

/// Every path of this module that is not in the spec, for [`super::paths::Paths`].
pub(super) const PATHS: [&str; 1] = ["/log/{*path}"];

/// Adds the routes of the log.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(checkpoint).service(keys).service(resource);
}

pub(super) const TEXT: (&str, &str) = ("content-type", "text/plain; charset=utf-8");

#[get("/log/checkpoint")]
async fn checkpoint(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    let note = app.public_log.checkpoint().await?.ok_or_else(Problem::no_such_path)?;
    Ok(HttpResponse::Ok().insert_header(TEXT).insert_header((CACHE_CONTROL, "no-store")).body(note))
}

/// The verifier keys of the log: that of its signatures, then that of its own cosignatures.
#[get("/log/key")]
async fn keys(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    let keys = app.public_log.verifiers().await?.ok_or_else(Problem::no_such_path)?;
    let text = format!("{}\n{}\n", keys.log, keys.cosigner);
    Ok(HttpResponse::Ok().insert_header(TEXT).insert_header(PUBLIC).body(text))
}

#[get("/log/{path:.*}")]
async fn resource(app: web::Data<App>, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let resource: Resource = path.parse().map_err(|_| Problem::no_such_path())?;
    let bytes = app.public_log.resource(resource).await?.ok_or_else(Problem::no_such_path)?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "application/octet-stream"))
        .insert_header((CACHE_CONTROL, IMMUTABLE))
        .insert_header(PLAIN)
        .body(bytes))
}
