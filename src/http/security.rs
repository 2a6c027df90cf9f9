//! Headers that tell browsers what to refuse, calls from other origins (CORS), and `/.well-known/security.txt` (RFC 9116).

use std::time::Duration;

use actix_cors::Cors;
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, DATE, ETAG, HeaderMap, HeaderName, HeaderValue,
    IF_MATCH, IF_NONE_MATCH, REFERRER_POLICY, RETRY_AFTER, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use actix_web::middleware::Condition;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, get};
use jiff::SignedDuration;

use super::caching::PUBLIC;
use super::problem::Problem;
use estimation_service::services::App;

const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The path of this module, for [`super::paths::Paths`]. It takes GET.
pub(super) const PATHS: [&str; 1] = ["/.well-known/security.txt"];

/// How long a copy of `security.txt` may be believed. RFC 9116 asks for less than a year.
const BELIEVED: SignedDuration = SignedDuration::from_hours(90 * 24);

/// What the operator says about security.
#[derive(Clone, Debug, Default)]
pub struct SecuritySettings {
    /// How long browsers shall use https alone (`Strict-Transport-Security`); `None` to say nothing.
    pub hsts: Option<Duration>,
    /// The addresses for reports, as `https:` or `mailto:` URIs; without one there is no `security.txt`.
    pub contacts: Vec<String>,
}

/// The settings as they are sent.
pub(super) struct Security {
    hsts: Option<HeaderValue>,
    contacts: Vec<String>,
}

impl Security {
    pub(super) fn new(settings: &SecuritySettings) -> Security {
        let hsts = settings.hsts.map(|age| format!("max-age={}", age.as_secs()));
        Security {
            hsts: hsts.and_then(|value| HeaderValue::from_str(&value).ok()),
            contacts: settings.contacts.clone(),
        }
    }
}

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(security_txt);
}

#[get("/.well-known/security.txt")]
async fn security_txt(app: web::Data<App>, security: web::Data<Security>) -> Result<HttpResponse, Problem> {
    if security.contacts.is_empty() {
        return Err(Problem::no_such_path());
    }
    let contacts: String = security.contacts.iter().map(|contact| format!("Contact: {contact}\n")).collect();
    let expires = app.now().saturating_add(BELIEVED).map_err(Problem::defect)?;
    let text = format!("{contacts}Expires: {expires:.0}\nPreferred-Languages: en, ar\n");
    Ok(HttpResponse::Ok().insert_header(PUBLIC).content_type("text/plain; charset=utf-8").body(text))
}

/// Adds the headers of every answer.
pub(super) fn guard<B>(answer: &mut ServiceResponse<B>) {
    let hsts = answer.request().app_data::<web::Data<Security>>().and_then(|security| security.hsts.clone());
    let headers = answer.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(hsts) = hsts {
        headers.insert(STRICT_TRANSPORT_SECURITY, hsts);
    }
}

/// Keeps a page out of frames and out of reach of the windows of other sites, and its address from them.
pub(super) fn isolate(headers: &mut HeaderMap) {
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(CROSS_ORIGIN_OPENER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// How long a browser may cache a preflight answer, in seconds.
const PREFLIGHT_MAX_AGE: usize = 600;

/// Allows calls from these origins; `*` allows all. By default no other origin may call. The service has no cookies, so no call is
/// authenticated by the browser.
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
