//! The server with its settings, and that of the metrics.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::Server;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App as ActixApp, HttpResponse, HttpServer, Responder, get, web};

use super::address::TrustedProxies;
use super::compression::choose_encoding;
use super::connection::{ConnectionLimits, Listener, Timeouts, listen};
use super::exchange::exchange;
use super::history_cache::HistoryCache;
use super::large_answers::{Compressors, compress_large};
use super::linked_apps::{self, LinkedApps};
use super::parameters::path_config;
use super::paths::{Paths, fallback};
use super::rate::{RateSettings, Rates};
use super::security::{self, Security, SecuritySettings, cors};
use super::{docs, endpoints, public_log, spec, web_app};
use estimation_service::base::network::Network;
use estimation_service::services::App;

#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// Threads that answer requests.
    pub workers: usize,
    /// Limits on open connections; none by default.
    pub connections: ConnectionLimits,
    /// How long a connection may take to send a request's head, and how long it may be idle.
    pub timeouts: Timeouts,
    /// How long requests in flight may take after the server was told to stop.
    pub shutdown_timeout: Duration,
    /// After how long without reading a client is disconnected.
    pub unread_timeout: Duration,
    /// The proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<Network>,
    /// The origins from which browsers may call, as in `https://play.example.org`; none by default.
    pub cors_origins: Vec<String>,
    /// Whether `/` is the web app. Without it, `/` leads to the API browser.
    pub has_web_app: bool,
    pub security: SecuritySettings,
    /// The apps that open links to tables.
    pub apps: LinkedApps,
    /// Rate limits; none by default.
    pub rates: RateSettings,
}

impl Default for ServerSettings {
    fn default() -> ServerSettings {
        ServerSettings {
            workers: 2,
            connections: ConnectionLimits::NONE,
            timeouts: Timeouts::default(),
            shutdown_timeout: Duration::from_secs(7),
            unread_timeout: Duration::from_secs(30),
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
            has_web_app: true,
            security: SecuritySettings::default(),
            apps: LinkedApps::default(),
            rates: RateSettings::NONE,
        }
    }
}

/// What can change while a server runs.
pub struct LiveSettings {
    trusted: TrustedProxies,
    rates: web::Data<Rates>,
}

impl LiveSettings {
    pub fn change(&self, trusted_proxies: Vec<Network>, rates: RateSettings) {
        self.trusted.0.set(trusted_proxies);
        self.rates.change(rates);
    }
}

/// Serves an application on a bound socket until the future is dropped or stopped.
///
/// # Errors
/// If the spec cannot be read or the server cannot listen on the socket.
pub fn serve(app: Arc<App>, listener: TcpListener, settings: ServerSettings) -> std::io::Result<Server> {
    serve_live(app, listener, settings).map(|(server, _)| server)
}

/// As [`serve`]; also returns what can change while the server runs.
///
/// # Errors
/// As [`serve`].
pub fn serve_live(
    app: Arc<App>,
    listener: TcpListener,
    settings: ServerSettings,
) -> std::io::Result<(Server, LiveSettings)> {
    let has_web_app = settings.has_web_app;
    let paths = web::Data::new(Paths::of(spec::COMMITTED, has_web_app).map_err(std::io::Error::other)?);
    let trusted = TrustedProxies::new(settings.trusted_proxies);
    let proxies = web::Data::new(trusted.clone());
    let origins = settings.cors_origins;
    let rates = web::Data::new(Rates::new(settings.rates, app.clock()));
    let security = web::Data::new(Security::new(&settings.security));
    let apps = web::Data::new(settings.apps);
    let compressors = web::Data::new(Compressors::new(settings.workers));
    let histories = web::Data::new(HistoryCache::new(Arc::clone(&app.metrics)));
    let live = LiveSettings { trusted: trusted.clone(), rates: rates.clone() };
    let served = web::Data::from(Arc::clone(&app));
    let application = move || {
        ActixApp::new()
            .wrap(from_fn(exchange))
            .wrap(from_fn(compress_large))
            .wrap(Compress::default())
            .wrap(from_fn(choose_encoding))
            .wrap(cors(&origins))
            .app_data(served.clone())
            .app_data(proxies.clone())
            .app_data(rates.clone())
            .app_data(compressors.clone())
            .app_data(histories.clone())
            .app_data(paths.clone())
            .app_data(security.clone())
            .app_data(apps.clone())
            .app_data(path_config())
            .configure(endpoints::routes)
            .configure(docs::routes)
            .configure(public_log::routes)
            .configure(security::routes)
            .configure(linked_apps::routes)
            .configure(if has_web_app { web_app::routes } else { docs::start_route })
            .default_service(web::to(fallback))
    };
    let how = Listener {
        workers: settings.workers,
        timeouts: settings.timeouts,
        limits: settings.connections,
        trusted,
        unread_timeout: settings.unread_timeout,
        shutdown_timeout: settings.shutdown_timeout,
    };
    Ok((listen(listener, how, &app, application)?, live))
}

/// The text format of Prometheus.
const METRICS_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

#[get("/metrics")]
async fn scrape(app: web::Data<App>) -> impl Responder {
    HttpResponse::Ok().insert_header((CONTENT_TYPE, METRICS_FORMAT)).body(app.monitoring.scrape().await)
}

/// The most connections to the metrics. Few clients scrape a node, and each takes a file descriptor.
const METRICS_CONNECTIONS: usize = 32;

/// Serves `/metrics` for Prometheus on a bound socket, whose address is not public.
///
/// # Errors
/// If the server cannot listen on the socket.
pub fn serve_metrics(app: Arc<App>, listener: TcpListener) -> std::io::Result<Server> {
    let app = web::Data::from(app);
    let server = HttpServer::new(move || ActixApp::new().app_data(app.clone()).service(scrape));
    let server = server.max_connections(METRICS_CONNECTIONS);
    Ok(server.workers(1).shutdown_timeout(1).disable_signals().listen(listener)?.run())
}
