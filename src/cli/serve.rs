//! `estimation serve`: the service.

use std::fmt;
use std::net::{SocketAddr, TcpListener};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;

use super::access::AccessFlags;
use super::connections::ConnectionFlags;
use super::database::DataFlags;
use super::keys::KeyFlags;
use super::telemetry::TelemetryFlags;
use estimation_audit::terminal;

use super::Failed;
use crate::app::metrics::Metrics;
use crate::app::state::{App, AppSettings, TABLES_PER_HOST};
use crate::auth::key_source::KeySource;
use crate::http::{ConnectionLimits, ServerSettings, serve, serve_metrics};
use crate::store::Settings;

/// How to serve.
#[derive(Args, Clone, Debug)]
pub(super) struct ServeFlags {
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, env = "ESTIMATION_LISTEN", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,

    /// The address of the metrics, for Prometheus to scrape; port 0 takes a free one. Not for the public.
    #[arg(long, env = "ESTIMATION_METRICS_LISTEN", default_value = "127.0.0.1:9090", value_parser = address)]
    metrics_listen: SocketAddr,

    #[command(flatten)]
    data: DataFlags,

    #[command(flatten)]
    keys: KeyFlags,

    #[command(flatten)]
    access: AccessFlags,

    #[command(flatten)]
    connections: ConnectionFlags,

    /// How many tables a host may have in the lobby; `off` for no limit. Running games and tables of strangers do
    /// not count.
    #[arg(long, env = "ESTIMATION_TABLES_PER_HOST", default_value_t = Most(Some(TABLES_PER_HOST)))]
    tables_per_host: Most,

    /// How many threads answer requests, 1 to 512.
    #[arg(long, env = "ESTIMATION_WORKERS", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=512))]
    workers: u16,

    /// After how many seconds a stream in which nothing happens says so, which keeps proxies from closing it.
    #[arg(long, env = "ESTIMATION_HEARTBEAT", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..))]
    heartbeat: u64,

    /// After how many seconds a client that does not read what it is sent is cut off.
    #[arg(long, env = "ESTIMATION_UNREAD_TIMEOUT", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    unread_timeout: u64,

    /// How far the node's clock may be from the database server's, and how far it may jump, as in 5s; `off` to trust it
    /// always. Beyond that the node does not act by its clock, and is not ready.
    #[arg(long, env = "ESTIMATION_CLOCK_SKEW", default_value = "5s", value_parser = span)]
    clock_skew: Span,

    /// How long a game has been over when its log is packed, as in 90s, 1h or 7d; `off` for never.
    #[arg(long, env = "ESTIMATION_PACK_AFTER", default_value = "1h", value_parser = span)]
    pack_after: Span,

    /// Was removed; it is still known so that settings which have it are told.
    #[arg(long = "h2c", env = "ESTIMATION_H2C", hide = true, num_args = 0..=1, default_missing_value = "true", value_parser = removed)]
    _h2c: Option<Removed>,

    #[command(flatten)]
    telemetry: TelemetryFlags,
}

/// A setting without an effect.
#[derive(Clone, Copy, Debug)]
struct Removed;

/// Reads a switch that was removed: only where it is off is nothing lost.
fn removed(text: &str) -> Result<Removed, &'static str> {
    match text {
        "false" => Ok(Removed),
        _ => {
            Err("HTTP/2 over cleartext was removed. Take this setting out, and let the proxy speak HTTP/1.1")
        }
    }
}

/// How many there may be at most, if that is limited.
#[derive(Clone, Copy, Debug)]
struct Most(Option<u32>);

impl FromStr for Most {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Most, &'static str> {
        match text.parse() {
            _ if text == "off" => Ok(Most(None)),
            Ok(most @ 1..) => Ok(Most(Some(most))),
            _ => Err("a number from 1 to 4294967295, or off"),
        }
    }
}

fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "expected an address and a port, as in 127.0.0.1:8080 or [::1]:8080")
}

impl fmt::Display for Most {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(most) => most.fmt(f),
            None => f.write_str("off"),
        }
    }
}

/// A span of time, or none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span(pub(super) Option<Duration>);

pub(super) fn span(text: &str) -> Result<Span, String> {
    if text == "off" {
        return Ok(Span(None));
    }
    let number = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let seconds = match &text[number.len()..] {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err("a number with s, m, h or d behind it, or off".to_owned()),
    };
    let number: u32 = number.parse().map_err(|_| format!("{number:?} is no number"))?;
    Ok(Span(Some(Duration::from_secs(u64::from(number) * seconds))))
}

/// How long a node that was told to stop goes on taking requests: whoever sends them can read meanwhile that
/// it is not ready any more.
const NOTICE: Duration = Duration::from_secs(1);

/// The open-file limit where the system does not tell it: that of POSIX's smallest.
const SMALLEST_LIMIT: u64 = 256;

/// How long stopping may take in all. What is not done by then, the process ends without.
const STOPPING: Duration = Duration::from_millis(9_500);

/// Prints a line about the start. A closed standard output does not stop the service.
fn announce(line: impl std::fmt::Display) {
    let _ignored = terminal::print_line(line);
}

pub(super) fn run(flags: &ServeFlags) -> Result<(), Failed> {
    // Dropped last: what happens while stopping is told as well.
    let _telemetry = flags.telemetry.start()?;
    let files = raise_open_file_limit();
    let workers = usize::from(flags.workers);
    let connections = flags.connections.limits(files, workers)?;
    let metrics = Arc::new(Metrics::default());
    let settings = Settings { observer: Arc::clone(&metrics) as _, ..Settings::default() };
    let database = flags.data.open_with(settings)?;
    let (keys, watched) = flags.keys.load(&flags.data, &database)?;
    let settings = AppSettings {
        heartbeat: Duration::from_secs(flags.heartbeat),
        limits: flags.access.limits(),
        sessions: flags.access.sessions(),
        tables_per_host: flags.tables_per_host.0,
        pack_after: flags.pack_after.0,
        clock_skew: flags.clock_skew.0,
        watched_keys: Some(watched).filter(|(source, _)| !matches!(source, KeySource::Given(_))),
        metrics,
        ..AppSettings::default()
    };
    let app = Arc::new(App::new(database, keys, settings));
    let listener = TcpListener::bind(flags.listen)
        .map_err(|error| format!("cannot listen on {}: {error}", flags.listen))?;
    let address = listener.local_addr()?;
    announce(format_args!("estimation listens on http://{address}"));
    announce(format_args!("docs    http://{address}/docs/"));
    let scraped = metrics_listener(flags.metrics_listen);
    if let Some(address) = scraped.as_ref().and_then(|listener| listener.local_addr().ok()) {
        announce(format_args!("metrics http://{address}/metrics"));
    }
    announce(format_args!("data    {}", flags.data.url()?));
    let settings = ServerSettings {
        workers,
        connections,
        timeouts: flags.connections.timeouts(),
        unread_timeout: Duration::from_secs(flags.unread_timeout),
        trusted_proxies: flags.access.trusted_proxies.clone(),
        cors_origins: flags.access.cors_origins.clone(),
        rates: flags.access.rates(),
        ..ServerSettings::default()
    };
    actix_web::rt::System::new().block_on(async move {
        let server = serve(Arc::clone(&app), listener, settings)?;
        let handle = server.handle();
        let ConnectionLimits { total, per_address } = connections;
        tracing::info!(files, connections = total, per_address, "open-file limit and connection limits");
        if let Some(listener) = scraped {
            actix_web::rt::spawn(serve_metrics(Arc::clone(&app), listener)?);
        }
        let background = app.start_background();
        let closing = Arc::clone(&app);
        actix_web::rt::spawn(async move {
            stop_signal().await;
            tracing::info!("stopping: finishing what is in flight");
            end_in_time(Instant::now() + STOPPING);
            closing.close();
            tokio::time::sleep(NOTICE).await;
            handle.stop(true).await;
        });
        server.await?;
        drop(background);
        app.shutdown().await;
        Ok(())
    })
}

/// The socket of the metrics. A node serves without them rather than not at all: whoever scrapes it will miss
/// them, and players are not to suffer for that.
fn metrics_listener(address: SocketAddr) -> Option<TcpListener> {
    let bound = TcpListener::bind(address);
    bound.inspect_err(|error| tracing::error!(%address, %error, "no metrics: cannot listen there")).ok()
}

/// Raises the open-file limit as far as the system allows, since each connection holds a socket. Returns what
/// it is then.
fn raise_open_file_limit() -> u64 {
    rlimit::increase_nofile_limit(rlimit::INFINITY).unwrap_or_else(|error| {
        let files = rlimit::Resource::NOFILE.get_soft().unwrap_or(SMALLEST_LIMIT);
        tracing::warn!(%error, files, "the open-file limit cannot be raised");
        files
    })
}

/// Sees to it that the process is gone in time, whatever hangs: a database that does not answer, say. What
/// was acknowledged is durable already.
fn end_in_time(deadline: Instant) {
    std::thread::spawn(move || {
        std::thread::sleep(deadline.saturating_duration_since(Instant::now()));
        tracing::error!("stopping took too long: ending without having finished");
        std::process::exit(1);
    });
}

/// Waits until somebody asks the process to stop.
async fn stop_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => {
                tokio::select! {
                    _ = interrupt => {}
                    _ = terminate.recv() => {}
                }
            }
            Err(_) => drop(interrupt.await),
        }
    }
    #[cfg(not(unix))]
    drop(interrupt.await);
}
