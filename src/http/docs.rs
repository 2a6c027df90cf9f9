//! The spec as it is served, and what a browser may do with its page and with every other answer.

use actix_web::dev::ServiceResponse;
use actix_web::http::header::{
    CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::{HttpResponse, get, web};
use utoipa_swagger_ui::Config;

use super::caching::PUBLIC;

/// The spec, rendered once.
pub struct Spec(pub web::Bytes);

/// What the page of the API browser may do: run and load what comes from here, and nothing else. Its styles
/// are set by its own scripts.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The API browser: operations can be tried at once. A token is gone with the page.
pub(super) fn browser() -> Config<'static> {
    Config::from("/openapi.json").try_it_out_enabled(true).persist_authorization(false)
}

#[get("/openapi.json")]
pub(super) async fn openapi_json(spec: web::Data<Spec>) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").insert_header(PUBLIC).body(spec.0.clone())
}

/// Tells browsers to take every answer for what it says it is, and what the page of the docs may do.
pub(super) fn guard<B>(answer: &mut ServiceResponse<B>) {
    let is_page = answer.request().path().starts_with("/docs");
    let headers = answer.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if is_page {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    }
}
