//! Caching headers: `Cache-Control` for every answer that does not set it, and `Vary` for all.

use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL, ETAG, HeaderValue, VARY};

/// For answers that are the same for every client and change only with a new version of the program.
pub(super) const PUBLIC: (&str, &str) = ("cache-control", "public, max-age=300");

/// For files whose path has a hash of their content.
pub(super) const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// The request headers that any answer may depend on.
const DEPENDS: &str = "Accept, Accept-Encoding, Accept-Language, Authorization";

/// Completes an answer. Clients must not store personal answers, which are those to requests with a token, unless they
/// have an entity tag; such an answer they must revalidate each time. They must not store errors and answers to changes.
pub(super) fn complete<B>(answer: &mut ServiceResponse<B>) {
    let read = matches!(*answer.request().method(), Method::GET | Method::HEAD);
    let kept = read && (answer.status().is_success() || answer.status().is_redirection());
    let personal = answer.request().headers().contains_key(AUTHORIZATION);
    let headers = answer.headers_mut();
    if !kept {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    } else if !headers.contains_key(CACHE_CONTROL) {
        let value = match (personal, headers.contains_key(ETAG)) {
            (false, _) => "no-cache",
            (true, true) => "private, no-cache",
            (true, false) => "no-store",
        };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(value));
    }
    headers.insert(VARY, HeaderValue::from_static(DEPENDS));
}
