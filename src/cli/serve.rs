//! `estimation serve`: the service.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use tracing_subscriber::EnvFilter;

use super::Failed;
use super::access::AccessFlags;
use super::database::DataFlags;
use super::keys::KeyFlags;
use crate::application::app::App;
use crate::application::key_source::KeySource;
use crate::http::{ServerSettings, serve};

/// How to serve.
#[derive(Args, Clone, Debug)]
pub(super) struct ServeFlags {
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, env = "ESTIMATION_LISTEN", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    #[command(flatten)]
    data: DataFlags,

    #[command(flatten)]
    keys: KeyFlags,

    #[command(flatten)]
    access: AccessFlags,

    /// How many threads answer requests.
    #[arg(long, env = "ESTIMATION_WORKERS", default_value_t = 2)]
    workers: usize,

    /// After how many seconds a stream in which nothing happens says so, which keeps proxies from closing it.
    #[arg(long, env = "ESTIMATION_HEARTBEAT", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..))]
    heartbeat: u64,

    /// After how many seconds a client that does not read what it is sent is cut off.
    #[arg(long, env = "ESTIMATION_UNREAD_TIMEOUT", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    unread_timeout: u64,

    /// Takes HTTP/2 over cleartext, by prior knowledge, beside HTTP/1.1: for proxies that speak it. A connection
    /// on which nothing is said is then not cut off, so do not let the public at it.
    #[arg(long, env = "ESTIMATION_H2C")]
    h2c: bool,

    /// What to log, as in `info` or `estimation=debug,warn`.
    #[arg(long, env = "ESTIMATION_LOG", default_value = "info")]
    log: String,
}

/// How long a node that was told to stop goes on taking requests: whoever sends them can read meanwhile that
/// it is not ready any more.
const NOTICE: Duration = Duration::from_secs(1);

/// How long stopping may take in all. What is not done by then, the process ends without.
const STOPPING: Duration = Duration::from_millis(9_500);

pub(super) fn run(flags: &ServeFlags) -> Result<(), Failed> {
    let filter = EnvFilter::try_new(&flags.log)?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init()?;
    allow_many_streams();
    let database = flags.data.open()?;
    let (keys, watched) = flags.keys.load(&flags.data, &database)?;
    let app = App::new(database, keys)
        .with_heartbeat(Duration::from_secs(flags.heartbeat))
        .limited(flags.access.limits());
    let app = match watched {
        (KeySource::Given(_), _) => app,
        (source, version) => app.watching_keys(source, version),
    };
    let app = Arc::new(app);
    let listener = TcpListener::bind(flags.listen)
        .map_err(|error| format!("cannot listen on {}: {error}", flags.listen))?;
    let address = listener.local_addr()?;
    println!("estimation listens on http://{address}");
    println!("docs    http://{address}/docs/");
    println!("data    {}", flags.data.url()?);
    let settings = ServerSettings {
        workers: flags.workers.max(1),
        unread_timeout: Duration::from_secs(flags.unread_timeout),
        trusted_proxies: flags.access.trusted_proxies.clone(),
        cors_origins: flags.access.cors_origins.clone(),
        rates: flags.access.rates(),
        h2c: flags.h2c,
        ..ServerSettings::default()
    };
    actix_web::rt::System::new().block_on(async move {
        let server = serve(Arc::clone(&app), listener, settings)?;
        let handle = server.handle();
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

/// Each stream holds a socket open: has the system allow as many as it will.
fn allow_many_streams() {
    match rlimit::increase_nofile_limit(rlimit::INFINITY) {
        Ok(files) => tracing::info!(files, "that many files and sockets may be open"),
        Err(error) => tracing::warn!(%error, "the limit on open files stays as it was"),
    }
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
