//! Logs, and traces for an OpenTelemetry collector.

use std::io::IsTerminal;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use estimation_command::terminal::share;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload::{self, Handle};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry};

use super::Failed;
use super::traces::Traces;

/// The target of the HTTP library's log lines.
const HTTP_LIBRARY: &str = "actix_http";

/// The library that runs the workers. It logs each start of a worker.
const SERVER_LIBRARY: &str = "actix_server";

/// Flags for logs and traces.
#[derive(Args, Clone, Debug)]
pub(super) struct TelemetryFlags {
    /// Log filter, as in `info` or `estimation=debug,warn`.
    #[arg(long, env = "ESTIMATION_LOG", default_value = "info", value_parser = targets)]
    log: Targets,

    /// Format of log lines: `text` for people, `json` for one JSON object on each line.
    #[arg(long, env = "ESTIMATION_LOG_FORMAT", default_value = "text", value_enum)]
    log_format: LogFormat,

    /// OpenTelemetry collector that receives traces (OTLP over HTTP), as in `http://127.0.0.1:4318`. No traces without it.
    /// Needs a program with the feature `traces`, as releases are.
    #[arg(long, env = "ESTIMATION_OTLP_ENDPOINT")]
    otlp_endpoint: Option<String>,

    /// Share of the requests that are traced, 0 to 1. A trusted proxy that traces a request decides for it.
    #[arg(long, env = "ESTIMATION_OTLP_SHARE", default_value_t = 0.01, value_parser = share)]
    otlp_share: f64,
}

/// Reads a log filter: a level, or targets with levels, separated by commas. `Targets` itself takes an unknown level for the name
/// of a target, and would log nothing else.
fn targets(text: &str) -> Result<Targets, &'static str> {
    let filter =
        text.split(',').map(str::trim).try_fold(Targets::new(), |filter, word| match word.split_once('=') {
            Some(("", _)) => None,
            Some((target, level)) => Some(filter.with_target(target, level.parse::<LevelFilter>().ok()?)),
            None => Some(filter.with_default(word.parse::<LevelFilter>().ok()?)),
        });
    filter.ok_or("expected a level, or targets with levels, as in `info` or `estimation=debug,warn`")
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For people.
    Text,
    /// One JSON object on each line, with the span of the request.
    Json,
}

/// Running telemetry. Dropping it sends the remaining traces.
pub(super) struct Telemetry {
    _traces: Option<Traces>,
    live: LiveTelemetry,
}

/// What can change of telemetry while the server runs.
#[derive(Clone)]
pub(super) struct LiveTelemetry {
    filter: Handle<Targets, Registry>,
    /// Reads the TLS roots for the collector again.
    refresh_traces: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Telemetry {
    pub(super) fn live(&self) -> LiveTelemetry {
        self.live.clone()
    }
}

impl LiveTelemetry {
    /// Takes the log filter of these settings, and reads the TLS roots for the collector again.
    pub(super) fn change(&self, flags: &TelemetryFlags) -> Result<(), Failed> {
        self.filter.reload(flags.filter())?;
        if let Some(refresh) = &self.refresh_traces {
            refresh();
        }
        Ok(())
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
        let traces = self.otlp_endpoint.as_deref().map(|endpoint| Traces::start(endpoint, self.otlp_share));
        let traces = traces.transpose()?;
        let spans = traces.as_ref().map(Traces::layer);
        let refresh_traces = traces.as_ref().map(Traces::refresh);
        let (filter, handle) = reload::Layer::new(self.filter());
        tracing_subscriber::registry().with(lines.with_filter(filter)).with(spans).try_init()?;
        Ok(Telemetry { _traces: traces, live: LiveTelemetry { filter: handle, refresh_traces } })
    }

    /// The log filter, with the libraries silenced unless the filter names them. actix-http logs malformed requests as
    /// errors; the server logs them itself, at `debug`. Of actix-server only warnings and errors are logged.
    fn filter(&self) -> Targets {
        let names = || self.log.iter().map(|(target, _)| target);
        let is_off = names().next().is_none() && self.log.default_level() == Some(LevelFilter::OFF);
        let mut filter = self.log.clone();
        for (library, level) in [(HTTP_LIBRARY, LevelFilter::OFF), (SERVER_LIBRARY, LevelFilter::WARN)] {
            if !is_off && !names().any(|target| target.contains(library)) {
                filter = filter.with_target(library, level);
            }
        }
        filter
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn a_space_after_a_comma_changes_nothing() {
        for text in ["estimation=debug,warn", "estimation=debug, warn", " warn , estimation=debug"] {
            let filter = targets(text).unwrap();
            assert!(filter.would_enable("estimation::http", &Level::DEBUG), "{text}");
            assert!(filter.would_enable("diesel", &Level::WARN), "{text}");
            assert!(!filter.would_enable("diesel", &Level::INFO), "{text}");
        }
    }
    #[test]
    fn libraries_are_silent_unless_the_filter_names_them() {
        let enables = |log: &str, target: &str, level: Level| {
            let flags = TelemetryFlags {
                log: targets(log).unwrap(),
                log_format: LogFormat::Text,
                otlp_endpoint: None,
                otlp_share: 0.0,
            };
            flags.filter().would_enable(target, &level)
        };
        assert!(!enables("info", "actix_http::h1", Level::ERROR));
        assert!(enables("info,actix_http=debug", "actix_http::h1", Level::DEBUG));
        assert!(
            enables("info", "actix_server", Level::WARN) && !enables("info", "actix_server", Level::INFO)
        );
        assert!(!enables("off", "actix_server", Level::ERROR));
    }

    #[test]
    fn a_share_is_between_zero_and_one() {
        assert_eq!(share("0.25"), Ok(0.25));
        assert!(share("1.5").is_err() && share("NaN").is_err() && share("often").is_err());
    }
}
