//! Caching: `Cache-Control` for every answer that does not set it itself, and `Vary` for all.

use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL, ETAG, HeaderValue, VARY};

/// For answers that are the same for everybody and change with a new version of the program at most.
pub(super) const PUBLIC: (&str, &str) = ("cache-control", "public, max-age=300");

/// For what never changes under its name.
pub(super) const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// What every answer may depend on.
const DEPENDS: &str = "Accept, Accept-Encoding, Accept-Language, Authorization";

/// Completes an answer. What is read with a token is personal and is not stored; only what has an entity tag,
/// a view of a game, may be stored by the client, which asks each time whether it still holds. What is not a
/// success, and the answer to a change, is not stored either.
pub(super) fn complete<B>(answer: &mut ServiceResponse<B>) {
    let read = matches!(*answer.request().method(), Method::GET | Method::HEAD);
    let kept = read && (answer.status().is_success() || answer.status().is_redirection());
    let own = answer.request().headers().contains_key(AUTHORIZATION);
    let headers = answer.headers_mut();
    if !kept {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    } else if !headers.contains_key(CACHE_CONTROL) {
        let value = match (own, headers.contains_key(ETAG)) {
            (false, _) => "no-cache",
            (true, true) => "private, no-cache",
            (true, false) => "no-store",
        };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(value));
    }
    headers.insert(VARY, HeaderValue::from_static(DEPENDS));
}
