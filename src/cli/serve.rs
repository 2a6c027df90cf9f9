//! `estimation serve`: runs the server.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use jiff::SignedDuration;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::Failed;
use super::access::AccessFlags;
use super::connections::ConnectionFlags;
use super::database::DataFlags;
use super::keys::KeyFlags;
use super::log::LogFlags;
use super::notifications::NotificationFlags;
use super::people::PeopleFlags;
use super::reload::{self, ReadSettings, Reload};
use super::sign_in::SignInFlags;
use super::telemetry::TelemetryFlags;
use super::values::{Delay, Limit, Span, Switch, address, delay, span, switch};
use estimation_command::terminal;

use crate::http::{ConnectionLimits, RateSettings, ServerSettings, serve_live, serve_metrics};
use estimation_service::auth::key_source::KeySource;
use estimation_service::auth::throttle::period_seconds;
use estimation_service::base::metrics::Metrics;
use estimation_service::base::network::Network;
use estimation_service::moderation::server::SettingView;
use estimation_service::nodes::Claims;
use estimation_service::services::{App, AppSettings, ChangedSettings, OPENING_SECONDS, TABLES_PER_HOST};
use estimation_store::{Settings, games};

/// Settings of the server.
#[derive(Args, Clone, Debug)]
pub(super) struct ServeFlags {
    /// Address of the server; port 0 takes a free port.
    #[arg(long, env = "ESTIMATION_LISTEN", default_value = "127.0.0.1:8080", value_parser = address)]
    pub(super) listen: SocketAddr,

    /// Address of the metrics for Prometheus; port 0 takes a free port. Do not make it public.
    #[arg(long, env = "ESTIMATION_METRICS_LISTEN", default_value = "127.0.0.1:9090", value_parser = address)]
    pub(super) metrics_listen: SocketAddr,

    #[command(flatten)]
    pub(super) data: DataFlags,

    #[command(flatten)]
    pub(super) keys: KeyFlags,

    #[command(flatten)]
    pub(super) access: AccessFlags,

    #[command(flatten)]
    pub(super) connections: ConnectionFlags,

    /// Tables in the lobby for each host; `off` for no limit. Running games and matchmaking tables do not count.
    #[arg(long, env = "ESTIMATION_TABLES_PER_HOST", default_value_t = Limit(Some(TABLES_PER_HOST)))]
    tables_per_host: Limit,

    /// Seconds for opening client seeds at a table that does not choose its own, 15 to 120. Without all of them, the game
    /// does not start.
    #[arg(long, env = "ESTIMATION_OPENING_SECONDS", default_value_t = OPENING_SECONDS, value_parser = clap::value_parser!(u32).range(15..=120))]
    opening_seconds: u32,

    /// How long the turns of bots and stand-ins take, drawn between two times of 300ms to 10000ms; `off` to act at once.
    #[arg(long, env = "ESTIMATION_BOT_DELAY", default_value = "600ms..1600ms", value_parser = delay)]
    bot_delay: Delay,

    /// Threads that answer requests, 1 to 512.
    #[arg(long, env = "ESTIMATION_WORKERS", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(super) workers: u16,

    /// Seconds between heartbeats on a quiet stream, which keep proxies from closing it.
    #[arg(long, env = "ESTIMATION_HEARTBEAT", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..))]
    heartbeat: u64,

    /// Seconds until a client that stops reading is disconnected.
    #[arg(long, env = "ESTIMATION_UNREAD_TIMEOUT", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    unread_timeout: u64,

    /// Maximum difference between the node's clock and PostgreSQL's, and maximum jump, as in 5s. Above it the node does
    /// not act by its clock and is not ready. `off` to trust the clock always.
    #[arg(long, env = "ESTIMATION_CLOCK_SKEW", default_value = "5s", value_parser = span)]
    clock_skew: Span,

    /// Time from a game's end until its log is packed, as in 90s, 1h or 7d; `off` for never.
    #[arg(long, env = "ESTIMATION_PACK_AFTER", default_value = "1h", value_parser = span)]
    pack_after: Span,

    /// Whether the node is ready while the database refuses changes; `off` to answer 503 at `/readyz` then.
    #[arg(long, env = "ESTIMATION_READY_WITHOUT_WRITES", default_value = "on", value_parser = switch)]
    ready_without_writes: Switch,

    /// How long the outcome of a request with an idempotency key is stored, as in 6h or 24h; at least one minute. A
    /// repetition after that is a new request.
    #[arg(long, env = "ESTIMATION_IDEMPOTENCY_RETENTION", default_value = "24h", value_parser = retention)]
    idempotency_retention: SignedDuration,

    /// How often expired data is deleted: outcomes of requests, counted attempts, sessions and guests; as in 30s or 10m.
    #[arg(long, env = "ESTIMATION_SWEEP_EVERY", default_value = "10m", value_parser = period)]
    sweep_every: Period,

    /// The web app at `/`; `off` for none. Then `/` leads to the API browser.
    #[arg(long, env = "ESTIMATION_WEB", default_value = "on", value_parser = switch)]
    web: Switch,

    #[command(flatten)]
    pub(super) log: LogFlags,

    #[command(flatten)]
    pub(super) notifications: NotificationFlags,

    #[command(flatten)]
    pub(super) sign_in: SignInFlags,

    #[command(flatten)]
    pub(super) people: PeopleFlags,

    #[command(flatten)]
    telemetry: TelemetryFlags,

    /// Version and newest format of games that the node claims to know, as in 0.2.0:2. For tests of upgrades; a release has no
    /// such flag.
    #[cfg(debug_assertions)]
    #[arg(long, env = "ESTIMATION_CLAIMS", hide = true, value_parser = claims)]
    claims: Option<Claims>,
}

#[cfg(debug_assertions)]
fn claims(text: &str) -> Result<Claims, &'static str> {
    let parts = text.split_once(':').and_then(|(version, format)| Some((version, format.parse().ok()?)));
    let (version, format) = parts.ok_or("expected a version and a format, as in 0.2.0:2")?;
    Ok(Claims { version: version.to_owned(), format })
}

/// A time between two runs of a job.
#[derive(Clone, Copy, Debug)]
struct Period(Duration);

fn period(text: &str) -> Result<Period, &'static str> {
    let seconds = period_seconds(text).filter(|seconds| *seconds > 0);
    seconds
        .map(|seconds| Period(Duration::from_secs(seconds)))
        .ok_or("expected a number with s, m, h or d, as in 30s or 10m")
}

fn retention(text: &str) -> Result<SignedDuration, &'static str> {
    let seconds =
        period_seconds(text).filter(|seconds| *seconds >= 60).and_then(|seconds| i64::try_from(seconds).ok());
    seconds.map(SignedDuration::from_secs).ok_or("expected at least one minute, as in 6h or 24h")
}

/// How long a stopping node still accepts requests, so that load balancers can see that it is not ready.
const NOTICE: Duration = Duration::from_secs(1);

/// The assumed open-file limit if the system does not report one.
const SMALLEST_LIMIT: u64 = 256;

/// The longest graceful shutdown. The process exits then, finished or not.
const STOPPING: Duration = Duration::from_millis(9_500);

/// Prints a line about the start. A closed standard output does not stop the server.
fn announce(line: impl std::fmt::Display) {
    let _ignored = terminal::print_line(line);
}

impl ServeFlags {
    /// The settings of the service that can change while it runs.
    pub(super) fn changed(&self, listed: Vec<SettingView>) -> ChangedSettings {
        ChangedSettings {
            limits: self.access.limits(),
            tables_per_host: self.tables_per_host.0,
            witnesses: self.log.witnesses(),
            listed,
        }
    }

    pub(super) fn trusted_proxies(&self) -> Vec<Network> {
        self.access.trusted_proxies.clone()
    }

    pub(super) fn rates(&self) -> RateSettings {
        self.access.rates()
    }

    #[cfg(debug_assertions)]
    fn claims(&self) -> Claims {
        self.claims.clone().unwrap_or_default()
    }

    #[cfg(not(debug_assertions))]
    fn claims(&self) -> Claims {
        Claims::default()
    }

    pub(super) fn telemetry(&self) -> &TelemetryFlags {
        &self.telemetry
    }
}

pub(super) fn run(flags: &ServeFlags) -> Result<(), Failed> {
    // Dropped last, so that the shutdown is logged and traced.
    let telemetry = flags.telemetry.start()?;
    let system = actix_web::rt::System::new();
    // From now on the signal does not end the process.
    let hangups = system.block_on(async { signal(SignalKind::hangup()) })?;
    let ReadSettings { values, listed, .. } = reload::read()?;
    let files = raise_open_file_limit();
    let workers = usize::from(flags.workers);
    let connections = flags.connections.limits(files, workers)?;
    let metrics = Arc::new(Metrics::default());
    let settings = Settings { observer: Arc::clone(&metrics) as _, ..Settings::default() };
    let database = flags.data.open_with(settings)?;
    let claims = flags.claims();
    let known = claims.format;
    super::keys::block_on(database.read(move |conn| games::refuse_newer_formats(conn, known)))?
        .map_err(|error| format!("the database is refused: {error}"))?;
    let (keys, watched) = flags.keys.load(&flags.data, &database)?;
    let settings = AppSettings {
        claims,
        heartbeat: Duration::from_secs(flags.heartbeat),
        limits: flags.access.limits(),
        sessions: flags.access.sessions(),
        tables_per_host: flags.tables_per_host.0,
        opening_seconds: flags.opening_seconds,
        bot_delay: flags.bot_delay.0,
        pack_after: flags.pack_after.0,
        clock_skew: flags.clock_skew.0,
        log: flags.log.settings(&flags.data),
        destinations: flags.notifications.destinations(flags.sign_in.public_url())?,
        outbound_networks: flags.notifications.networks(),
        identities: flags.sign_in.identities()?,
        mail: flags.sign_in.mail()?,
        forbidden_words: flags.people.words()?,
        watched_keys: Some(watched).filter(|(source, _)| !matches!(source, KeySource::Given(_))),
        metrics,
        idempotency_retention: flags.idempotency_retention,
        sweep_every: flags.sweep_every.0,
        ready_without_writes: flags.ready_without_writes.0,
        listed: listed.clone(),
        ..AppSettings::default()
    };
    let app = Arc::new(App::new(database, keys, settings));
    let listener = TcpListener::bind(flags.listen)
        .map_err(|error| format!("cannot listen on {}: {error}", flags.listen))?;
    let address = listener.local_addr()?;
    // Before anything is announced: a program that waits for the first line may scrape at once.
    let scraped = metrics_listener(flags.metrics_listen);
    let name = if flags.web.0 { "table" } else { "server" };
    announce(format_args!("{name:<7} http://{address}/"));
    announce(format_args!("docs    http://{address}/docs/"));
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
        has_web_app: flags.web.0,
        security: flags.access.security(),
        apps: flags.people.apps(),
        rates: flags.access.rates(),
        ..ServerSettings::default()
    };
    let live = telemetry.live();
    // Beside the start of the server, which does not wait for it.
    system.block_on(async move {
        app.public_log.prepare().await;
        let (server, http) = serve_live(Arc::clone(&app), listener, settings)?;
        let reload = Reload { app: Arc::clone(&app), http, telemetry: live, values, listed };
        actix_web::rt::spawn(reload_at(hangups, reload));
        let handle = server.handle();
        let ConnectionLimits { total, per_address } = connections;
        tracing::debug!(files, connections = total, per_address, "open-file limit and connection limits");
        if let Some(listener) = scraped {
            actix_web::rt::spawn(serve_metrics(Arc::clone(&app), listener)?);
        }
        let background = app.start_background();
        let closing = Arc::clone(&app);
        actix_web::rt::spawn(async move {
            stop_signal().await;
            tracing::info!("stopping: finishing requests in flight");
            end_in_time(Instant::now() + STOPPING);
            closing.close();
            tokio::time::sleep(NOTICE).await;
            handle.stop(true).await;
        });
        server.await?;
        drop(background);
        app.nodes.leave().await;
        app.shutdown().await;
        Ok(())
    })
}

/// Binds the socket of the metrics. If that fails, the server runs without them, because players do not need them.
fn metrics_listener(address: SocketAddr) -> Option<TcpListener> {
    let bound = TcpListener::bind(address);
    bound
        .inspect_err(
            |error| tracing::error!(%address, %error, "metrics are off: cannot listen on the address"),
        )
        .ok()
}

/// Raises the open-file limit as far as the system allows, since each connection holds a socket. Returns the new limit.
fn raise_open_file_limit() -> u64 {
    rlimit::increase_nofile_limit(rlimit::INFINITY).unwrap_or_else(|error| {
        let files = rlimit::Resource::NOFILE.get_soft().unwrap_or(SMALLEST_LIMIT);
        tracing::warn!(%error, files, "cannot raise the open-file limit");
        files
    })
}

/// Exits the process at the deadline, even if something hangs, such as a database call. Acknowledged changes are durable
/// already.
fn end_in_time(deadline: Instant) {
    std::thread::spawn(move || {
        std::thread::sleep(deadline.saturating_duration_since(Instant::now()));
        tracing::error!("shutdown timed out: exiting without finishing requests in flight");
        std::process::exit(1);
    });
}

/// Reads the settings again at each SIGHUP.
async fn reload_at(mut hangups: Signal, mut reload: Reload) {
    while hangups.recv().await.is_some() {
        reload.run();
    }
}

/// Waits for SIGINT or SIGTERM.
async fn stop_signal() {
    let interrupt = tokio::signal::ctrl_c();
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
