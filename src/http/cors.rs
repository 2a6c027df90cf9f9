//! Cross-origin calls from browsers (CORS). By default no other origin may call.

use actix_cors::Cors;
use actix_web::http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, DATE, ETAG, IF_MATCH, IF_NONE_MATCH, RETRY_AFTER,
};
use actix_web::middleware::Condition;

/// How long a browser may cache a preflight answer, in seconds.
const PREFLIGHT_MAX_AGE: usize = 600;

/// Allows calls from these origins; `*` allows all. The service has no cookies, so no call is authenticated by the browser.
pub(super) fn cors(origins: &[String]) -> Condition<Cors> {
    let cors = Cors::default()
        .allowed_methods(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
        .allowed_headers([AUTHORIZATION, CONTENT_TYPE, IF_MATCH, IF_NONE_MATCH])
        .allowed_headers(["accept-language", "prefer", "idempotency-key", "last-event-id", "x-request-id"])
        .expose_headers([ACCEPT, ACCEPT_ENCODING, DATE, ETAG, RETRY_AFTER])
        .expose_headers(["idempotency-replayed", "x-request-id", "ratelimit", "ratelimit-policy"])
        .expose_headers(["content-language", "link", "location", "preference-applied"])
        .max_age(PREFLIGHT_MAX_AGE);
    let cors = origins.iter().fold(cors, |cors, origin| match origin.as_str() {
        "*" => cors.allow_any_origin(),
        origin => cors.allowed_origin(origin),
    });
    Condition::new(!origins.is_empty(), cors)
}
