//! Telling the limits: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers), as lists of
//! structured fields (RFC 9651).

use actix_web::dev::ServiceResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpMessage, HttpRequest};

use crate::auth::throttle::Rate;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// What is left under a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    /// The limit's name.
    pub(super) name: &'static str,
    /// The limit.
    pub(super) rate: Rate,
    /// How many requests more.
    pub(super) remaining: u32,
    /// Seconds until all are there again.
    pub(super) reset: u64,
}

/// What is to be told with an answer.
#[derive(Default)]
struct Told {
    policies: Vec<(&'static str, Rate)>,
    left: Vec<Left>,
}

/// Notes what is left, for the answer to the request.
pub(super) fn note(request: &HttpRequest, left: Left) {
    let mut extensions = request.extensions_mut();
    if extensions.get::<Told>().is_none() {
        extensions.insert(Told::default());
    }
    if let Some(told) = extensions.get_mut::<Told>() {
        told.policies.push((left.name, left.rate));
        told.left.push(left);
    }
}

/// Notes limits of which it is not told how much is left: those on attempts, which would help whoever guesses.
pub(in crate::http) fn announce(request: &HttpRequest, policies: &[(&'static str, Rate)]) {
    let mut extensions = request.extensions_mut();
    if extensions.get::<Told>().is_none() {
        extensions.insert(Told::default());
    }
    if let Some(told) = extensions.get_mut::<Told>() {
        told.policies.extend(policies);
    }
}

/// Tells with an answer what was noted. Where an attempt was one too many, `exhausted` names the limit and
/// says in how many seconds there is room again.
pub(in crate::http) fn tell<B>(answer: &mut ServiceResponse<B>, exhausted: Option<(&str, &str)>) {
    let (mut policies, mut left) = (Vec::new(), Vec::new());
    if let Some(told) = answer.request().extensions().get::<Told>() {
        for (name, Rate { times, seconds }) in &told.policies {
            policies.push(format!("\"{name}\";q={times};w={seconds}"));
        }
        for Left { name, remaining, reset, .. } in &told.left {
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
