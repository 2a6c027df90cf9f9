//! Logs, and traces for an OpenTelemetry collector.

use std::io::IsTerminal;
use std::pin::Pin;
use std::time::Duration;

use clap::{Args, ValueEnum};
use estimation_audit::agent;
use estimation_audit::terminal::share;
use opentelemetry::KeyValue;
use opentelemetry::global;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload::{self, Handle};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};
use ureq::Agent;

use super::Failed;
use estimation_service::base::live::Live;

/// The service name in traces.
const SERVICE: &str = "estimation";

/// The timeout of the collector.
const PATIENCE: Duration = Duration::from_secs(10);
/// The target of the HTTP library's log lines.
const HTTP_LIBRARY: &str = "actix_http";

/// The library that runs the workers. It logs each start of a worker.
const SERVER_LIBRARY: &str = "actix_server";

/// Flags for logs and traces.
#[derive(Args, Clone, Debug)]
pub(super) struct TelemetryFlags {
    /// Log filter, as in `info` or `estimation=debug,warn`.
    #[arg(long, env = "ESTIMATION_LOG", default_value = "info", value_parser = directives)]
    log: String,

    /// Format of log lines: `text` for people, `json` for one JSON object on each line.
    #[arg(long, env = "ESTIMATION_LOG_FORMAT", default_value = "text", value_enum)]
    log_format: LogFormat,

    /// OpenTelemetry collector that receives traces (OTLP over HTTP), as in `http://127.0.0.1:4318`. No traces without it.
    #[arg(long, env = "ESTIMATION_OTLP_ENDPOINT")]
    otlp_endpoint: Option<String>,

    /// Share of the requests that are traced, 0 to 1. A trusted proxy that traces a request decides for it.
    #[arg(long, env = "ESTIMATION_OTLP_SHARE", default_value_t = 0.01, value_parser = share)]
    otlp_share: f64,
}

/// Validates a log filter. `EnvFilter` takes an unknown level for the name of a target, and would log nothing else.
fn directives(text: &str) -> Result<String, String> {
    const EXPECTED: &str =
        "expected a level, or targets with levels, as in `info` or `estimation=debug,warn`";
    let is_known = |word: &str| word.contains(['=', '[']) || word.parse::<LevelFilter>().is_ok();
    match EnvFilter::try_new(text) {
        Ok(_) if text.split(',').all(|word| is_known(word.trim())) => Ok(text.to_owned()),
        Ok(_) => Err(EXPECTED.to_owned()),
        Err(error) => Err(format!("{EXPECTED}: {error}")),
    }
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For people.
    Text,
    /// One JSON object on each line, with the span of the request.
    Json,
}

/// The HTTP client that sends traces, on OpenTelemetry's own thread.
#[derive(Clone)]
struct Collector(Live<Agent>);

impl std::fmt::Debug for Collector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Collector")
    }
}

impl Collector {
    /// A client with the TLS roots of the system as they are now.
    fn new() -> Collector {
        Collector(Live::new(agent(Some(PATIENCE))))
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

/// Running telemetry. Dropping it sends the remaining traces.
pub(super) struct Telemetry {
    provider: Option<SdkTracerProvider>,
    live: LiveTelemetry,
}

/// What can change of telemetry while the server runs.
#[derive(Clone)]
pub(super) struct LiveTelemetry {
    filter: Handle<EnvFilter, Registry>,
    collector: Collector,
}

impl Telemetry {
    pub(super) fn live(&self) -> LiveTelemetry {
        self.live.clone()
    }
}

impl LiveTelemetry {
    /// Takes the log filter of these settings, and reads the TLS roots for the collector again.
    pub(super) fn change(&self, flags: &TelemetryFlags) -> Result<(), Failed> {
        self.filter.reload(EnvFilter::try_new(flags.filter())?)?;
        self.collector.0.set(agent(Some(PATIENCE)));
        Ok(())
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.provider.take().map(|provider| provider.shutdown()) {
            tracing::warn!(%error, "cannot send the last traces");
        }
    }
}

/// Writes log lines of this level to the standard error: for commands that are not the server.
pub(super) fn log_lines(level: LevelFilter) -> Result<(), Failed> {
    let lines = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr);
    let lines = if std::io::stderr().is_terminal() { lines } else { lines.with_ansi(false) };
    lines.try_init()
}

impl TelemetryFlags {
    /// Starts logging and tracing. Do not call it on an event loop.
    pub(super) fn start(&self) -> Result<Telemetry, Failed> {
        let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
        // On a terminal the library colours unless NO_COLOR is set.
        let lines = if std::io::stderr().is_terminal() { lines } else { lines.with_ansi(false) };
        let lines = match self.log_format {
            LogFormat::Text => lines.boxed(),
            LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
        };
        let collector = Collector::new();
        let provider = self.otlp_endpoint.as_deref().map(|endpoint| self.provider(endpoint, &collector));
        let provider = provider.transpose()?;
        let traces = provider.as_ref().map(|provider| {
            // Only traces have spans finer than requests.
            let own = Targets::new().with_target(env!("CARGO_CRATE_NAME"), LevelFilter::DEBUG);
            tracing_opentelemetry::layer()
                .with_tracer(provider.tracer(SERVICE))
                .with_location(false)
                .with_threads(false)
                .with_filter(own)
        });
        let (filter, handle) = reload::Layer::new(EnvFilter::try_new(self.filter())?);
        tracing_subscriber::registry().with(lines.with_filter(filter)).with(traces).try_init()?;
        Ok(Telemetry { provider, live: LiveTelemetry { filter: handle, collector } })
    }

    /// The log filter, with the libraries silenced unless the filter names them. actix-http logs malformed requests as
    /// errors; the server logs them itself, at `debug`. Of actix-server only warnings and errors are logged.
    fn filter(&self) -> String {
        let mut filter = self.log.clone();
        for (library, level) in [(HTTP_LIBRARY, "off"), (SERVER_LIBRARY, "warn")] {
            if !self.log.contains(library) && self.log != "off" {
                filter += &format!(",{library}={level}");
            }
        }
        filter
    }

    fn provider(&self, endpoint: &str, collector: &Collector) -> Result<SdkTracerProvider, Failed> {
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
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(self.otlp_share)));
        global::set_text_map_propagator(TraceContextPropagator::new());
        Ok(SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(sampler)
            .with_resource(resource)
            .build())
    }
}
