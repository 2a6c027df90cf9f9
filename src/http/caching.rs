//! Who may keep an answer, and what it depends on: `Cache-Control` and `Vary` for every answer that does not
//! say so itself.

use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL, HeaderValue, VARY};

/// For answers that are the same for everybody and change with a new version of the program at most.
pub(super) const PUBLIC: (&str, &str) = ("cache-control", "public, max-age=300");

/// What every answer may depend on.
const DEPENDS: &str = "Accept, Accept-Encoding, Accept-Language, Authorization";

/// Completes an answer: what is read with a token belongs to its owner and is asked for anew; what is no
/// success, or the answer to something that was done, is not kept at all.
pub(super) fn complete<B>(answer: &mut ServiceResponse<B>) {
    let read = matches!(*answer.request().method(), Method::GET | Method::HEAD);
    let kept = read && (answer.status().is_success() || answer.status().is_redirection());
    let own = answer.request().headers().contains_key(AUTHORIZATION);
    let headers = answer.headers_mut();
    if !kept {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    } else if !headers.contains_key(CACHE_CONTROL) {
        let value = if own { "private, no-cache" } else { "no-cache" };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(value));
    }
    headers.insert(VARY, HeaderValue::from_static(DEPENDS));
}
