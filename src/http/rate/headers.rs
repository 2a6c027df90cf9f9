//! The headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers), as lists of structured fields
//! (RFC 9651).

use actix_web::dev::ServiceResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpMessage, HttpRequest};

use estimation_service::auth::throttle::Rate;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The remaining requests under a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    pub(super) name: &'static str,
    pub(super) rate: Rate,
    pub(super) remaining: u32,
    /// Seconds until the bucket is full.
    pub(super) reset: u64,
}

/// The limits that the answer's headers name.
#[derive(Default)]
struct ReportedLimits {
    policies: Vec<(&'static str, Rate)>,
    left: Vec<Left>,
}

/// Notes the remaining requests for the answer's headers. The last note about a limit counts.
pub(super) fn note(request: &HttpRequest, left: Left) {
    let mut extensions = request.extensions_mut();
    let announced = extensions.get_or_insert_with(ReportedLimits::default);
    match announced.left.iter_mut().find(|noted| noted.name == left.name) {
        Some(noted) => *noted = left,
        None => {
            announced.policies.push((left.name, left.rate));
            announced.left.push(left);
        }
    }
}

/// Notes limits on attempts. The headers do not say how many attempts remain, because that would help attackers.
pub(in crate::http) fn announce(request: &HttpRequest, policies: &[(&'static str, Rate)]) {
    request.extensions_mut().get_or_insert_with(ReportedLimits::default).policies.extend(policies);
}

/// Adds the headers. `exhausted` is an exceeded limit on attempts and the seconds until the next attempt is possible.
pub(in crate::http) fn add_headers<B>(answer: &mut ServiceResponse<B>, exhausted: Option<(&str, &str)>) {
    let (mut policies, mut left) = (Vec::new(), Vec::new());
    if let Some(announced) = answer.request().extensions().get::<ReportedLimits>() {
        for (name, Rate { times, seconds }) in &announced.policies {
            policies.push(format!("\"{name}\";q={times};w={seconds}"));
        }
        for Left { name, remaining, reset, .. } in &announced.left {
            left.push(format!("\"{name}\";r={remaining};t={reset}"));
        }
    }
    if let Some((name, seconds)) = exhausted {
        left.push(format!("\"{name}\";r=0;t={seconds}"));
    }
    for (name, items) in [(RATE_LIMIT_POLICY, policies), (RATE_LIMIT, left)] {
        if let Ok(value) = HeaderValue::from_str(&items.join(", ")).map_err(drop)
            && !items.is_empty()
        {
            answer.headers_mut().insert(name, value);
        }
    }
}
