//! Requests in traces: what a span says of a request, and whose trace it belongs to (W3C Trace Context).
//!
//! Costs nothing where nothing is traced.

use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderMap;
use actix_web::web;
use opentelemetry::global::get_text_map_propagator;
use opentelemetry::propagation::Extractor;
use tracing::{Level, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::address::TrustedProxies;

const TRACE_PARENT: &str = "traceparent";

/// The headers of a request, for whoever looks for a trace in them.
struct Carrier<'a>(&'a HeaderMap);

impl Extractor for Carrier<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(|name| name.as_str()).collect()
    }
}

/// Begins the span of a request. It goes on with the trace of a trusted proxy; what others say of traces is
/// not listened to, or anybody could have everything traced.
pub(super) fn begin(span: &Span, request: &ServiceRequest) {
    if span.is_disabled() || !request.headers().contains_key(TRACE_PARENT) {
        return;
    }
    let proxies = request.app_data::<web::Data<TrustedProxies>>();
    if request.peer_addr().zip(proxies).is_some_and(|(peer, proxies)| proxies.trust(peer.ip())) {
        let context = get_text_map_propagator(|propagator| propagator.extract(&Carrier(request.headers())));
        // Refused where nothing is traced.
        let _ = span.set_parent(context);
    }
}

/// Says of a span how its request was answered.
pub(super) fn end<B>(span: &Span, answer: &ServiceResponse<B>) {
    // Whoever takes traces takes them at this level; a node that only logs has nothing to do here.
    if !tracing::enabled!(Level::DEBUG) {
        return;
    }
    let request = answer.request();
    span.set_attribute("http.request.method", request.method().to_string());
    span.set_attribute("http.response.status_code", i64::from(answer.status().as_u16()));
    if let Some(route) = request.match_pattern() {
        span.set_attribute("http.route", route);
    }
}
