//! The server: every operation in one place, and the spec that follows from them.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::Server;
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App as ActixApp, web};
use utoipa_actix_web::service_config::ServiceConfig;

use super::address::{Network, TrustedProxies};
use super::compression::settled;
use super::connection::{ConnectionLimits, Listener, Timeouts, listen};
use super::cors::cors;
use super::docs::Documents;
use super::exchange::exchange;
use super::fallback::{Paths, fallback};
use super::parameters::path_config;
use super::rate::{RateSettings, Rates};
use super::{
    accounts, admin, audit, docs, games, matchmaking, play, players, profile, rulesets, seats, service,
    sessions, spec, streams,
};
use crate::app::state::App;

/// How the server serves.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// How many threads answer requests.
    pub workers: usize,
    /// How many connections may be open; without limit by default.
    pub connections: ConnectionLimits,
    /// How long a connection may take over a request's head, and may be idle.
    pub timeouts: Timeouts,
    /// How long requests in flight may take when the server stops.
    pub shutdown_timeout: Duration,
    /// How long a client may leave what it is sent unread before it is cut off.
    pub unread_timeout: Duration,
    /// The proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<Network>,
    /// The origins from which browsers may call, as in `https://play.example.org`; none by default.
    pub cors_origins: Vec<String>,
    /// How much may be asked; without limit by default.
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
            rates: RateSettings::NONE,
        }
    }
}

/// Adds every operation to a configuration. What is asked most stands first: the router tries one after the
/// other.
macro_rules! every_operation {
    ($config:expr) => {
        $config
            .service(play::command)
            .service(games::show)
            .service(play::events)
            .service(streams::game)
            .service(accounts::register)
            .service(accounts::register_guest)
            .service(profile::show)
            .service(profile::update)
            .service(profile::change_password)
            .service(profile::give_credentials)
            .service(profile::export)
            .service(profile::delete)
            .service(admin::grant_role)
            .service(sessions::log_in)
            .service(sessions::refresh)
            .service(sessions::list)
            .service(sessions::end_all)
            .service(sessions::end)
            .service(rulesets::list)
            .service(rulesets::show)
            .service(rulesets::score)
            .service(games::create)
            .service(games::list)
            .service(games::sit_down)
            .service(games::stand_up)
            .service(games::start)
            .service(games::cancel)
            .service(games::join)
            .service(seats::seat_bot)
            .service(seats::hand_over)
            .service(seats::rematch)
            .service(play::scores)
            .service(audit::history)
            .service(audit::state)
            .service(audit::checkpoint)
            .service(audit::listed)
            .service(audit::looks)
            .service(audit::accesses)
            .service(matchmaking::seek)
            .service(matchmaking::show)
            .service(matchmaking::stop)
            .service(players::show)
            .service(players::games)
            .service(players::statistics)
            .service(players::leaderboard)
            .service(streams::account)
            .service(service::health)
            .service(service::ready)
            .service(service::jwks)
            .service(service::problem);
    };
}

/// Every operation, with what it says of itself.
pub(super) fn operations(config: &mut ServiceConfig<'_>) {
    every_operation!(config);
}

/// Every operation as it is served. Putting the spec together takes ten times the memory of everything else,
/// so no worker does.
fn routes(config: &mut web::ServiceConfig) {
    every_operation!(config);
}

/// Serves an application on a socket that is bound already, until the future is dropped or stopped.
///
/// # Errors
/// If the spec cannot be rendered or the socket cannot be listened on.
pub fn serve(app: Arc<App>, listener: TcpListener, settings: ServerSettings) -> std::io::Result<Server> {
    let paths = web::Data::new(Paths::of(spec::COMMITTED).map_err(std::io::Error::other)?);
    let documents = web::Data::new(Documents::new().map_err(std::io::Error::other)?);
    let trusted = TrustedProxies(settings.trusted_proxies);
    let proxies = web::Data::new(trusted.clone());
    let origins = settings.cors_origins;
    let rates = web::Data::new(Rates::new(settings.rates));
    let served = web::Data::from(Arc::clone(&app));
    let application = move || {
        ActixApp::new()
            .wrap(from_fn(exchange))
            .wrap(Compress::default())
            .wrap(from_fn(settled))
            .wrap(cors(&origins))
            .app_data(served.clone())
            .app_data(proxies.clone())
            .app_data(rates.clone())
            .app_data(paths.clone())
            .app_data(documents.clone())
            .app_data(path_config())
            .configure(routes)
            .configure(docs::routes)
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
    listen(listener, how, &app, application)
}
