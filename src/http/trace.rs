//! The trace span of a request (W3C Trace Context). It costs nothing when tracing is off.

use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderMap;
use actix_web::web;
use opentelemetry::global::get_text_map_propagator;
use opentelemetry::propagation::Extractor;
use tracing::{Level, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::address::TrustedProxies;

const TRACE_PARENT: &str = "traceparent";

/// The headers of a request, as OpenTelemetry reads them.
struct Carrier<'a>(&'a HeaderMap);

impl Extractor for Carrier<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(|name| name.as_str()).collect()
    }
}

/// Begins the span of a request. It continues the trace of a trusted proxy. Trace headers of other clients are ignored;
/// otherwise any client could have every request traced.
pub(super) fn begin(span: &Span, request: &ServiceRequest) {
    if span.is_disabled() || !request.headers().contains_key(TRACE_PARENT) {
        return;
    }
    let proxies = request.app_data::<web::Data<TrustedProxies>>();
    if request.peer_addr().zip(proxies).is_some_and(|(peer, proxies)| proxies.trust(peer.ip())) {
        let context = get_text_map_propagator(|propagator| propagator.extract(&Carrier(request.headers())));
        // Fails if tracing is off.
        let _ = span.set_parent(context);
    }
}

/// Adds the answer to the span.
pub(super) fn end<B>(span: &Span, answer: &ServiceResponse<B>) {
    // Traces are recorded at this level. A node without tracing skips the rest.
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
