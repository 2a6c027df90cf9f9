//! Calls from browsers: which pages of other origins may make them. By default none.

use actix_cors::Cors;
use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH, RETRY_AFTER};
use actix_web::middleware::Condition;

/// How long a browser may remember the answer, in seconds.
const REMEMBERED: usize = 600;

/// Lets pages of these origins call; `*` lets all. There are no cookies, so nobody is signed in by it.
pub(super) fn cors(origins: &[String]) -> Condition<Cors> {
    let cors = Cors::default()
        .allowed_methods(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
        .allowed_headers([AUTHORIZATION, CONTENT_TYPE, IF_MATCH, IF_NONE_MATCH])
        .allowed_headers(["accept-language", "prefer", "idempotency-key", "last-event-id", "x-request-id"])
        .expose_headers([ETAG, RETRY_AFTER])
        .expose_headers(["idempotency-replayed", "x-request-id", "ratelimit", "ratelimit-policy"])
        .expose_headers([
            "content-language",
            "deprecation",
            "link",
            "location",
            "preference-applied",
            "sunset",
        ])
        .max_age(REMEMBERED);
    let cors = origins.iter().fold(cors, |cors, origin| match origin.as_str() {
        "*" => cors.allow_any_origin(),
        origin => cors.allowed_origin(origin),
    });
    Condition::new(!origins.is_empty(), cors)
}
