//! The exporter of traces: OTLP over HTTP, on OpenTelemetry's own thread.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use estimation_command::agent;
use estimation_service::base::live::Live;
use opentelemetry::KeyValue;
use opentelemetry::global;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;
use ureq::Agent;

use crate::cli::Failed;

/// The service name in traces.
const SERVICE: &str = "estimation";

/// The timeout of the collector.
const PATIENCE: Duration = Duration::from_secs(10);

/// The HTTP client that sends traces.
#[derive(Clone)]
struct Collector(Live<Agent>);

impl std::fmt::Debug for Collector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Collector")
    }
}

/// An answer to come, as `HttpClient` wants it.
type Sent<'a> = Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'a>>;

impl HttpClient for Collector {
    fn send_bytes<'a, 'b>(&'a self, request: Request<Bytes>) -> Sent<'b>
    where
        'a: 'b,
    {
        Box::pin(async {
            let (head, mut body) = self.0.get().run(request.map(|body| body.to_vec()))?.into_parts();
            Ok(Response::from_parts(head, body.read_to_vec()?.into()))
        })
    }
}

/// Running traces. Dropping them sends what is left.
pub(in crate::cli) struct Traces {
    provider: SdkTracerProvider,
    collector: Collector,
}

impl Traces {
    /// Starts to send a share of the traces to a collector. Do not call it on an event loop.
    pub(in crate::cli) fn start(endpoint: &str, share: f64) -> Result<Traces, Failed> {
        // With the TLS roots of the system as they are now.
        let collector = Collector(Live::new(agent(Some(PATIENCE))));
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(collector.clone())
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
            .build()
            .map_err(|error| format!("cannot send traces to {endpoint:?}: {error}"))?;
        let resource = Resource::builder()
            .with_service_name(SERVICE)
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(share)));
        global::set_text_map_propagator(TraceContextPropagator::new());
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(sampler)
            .with_resource(resource)
            .build();
        Ok(Traces { provider, collector })
    }

    /// Only traces have spans finer than requests.
    pub(in crate::cli) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        let own = Targets::new().with_target(env!("CARGO_CRATE_NAME"), LevelFilter::DEBUG);
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer(SERVICE))
            .with_location(false)
            .with_threads(false)
            .with_filter(own)
    }

    /// Returns a function that reads the TLS roots for the collector again.
    pub(in crate::cli) fn refresh(&self) -> Arc<dyn Fn() + Send + Sync> {
        let collector = self.collector.clone();
        Arc::new(move || collector.0.set(agent(Some(PATIENCE))))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown() {
            tracing::warn!(%error, "cannot send the last traces");
        }
    }
}
