//! `estimation serve`: the service.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

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

    /// What to log, as in `info` or `estimation=debug,warn`.
    #[arg(long, env = "ESTIMATION_LOG", default_value = "info")]
    log: String,
}

pub(super) fn run(flags: &ServeFlags) -> Result<(), Failed> {
    let filter = EnvFilter::try_new(&flags.log)?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init()?;
    let database = flags.data.open()?;
    let (keys, watched) = flags.keys.load(&flags.data, &database)?;
    let app = App::new(database, keys).limited(flags.access.limits());
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
        trusted_proxies: flags.access.trusted_proxies.clone(),
        cors_origins: flags.access.cors_origins.clone(),
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
            closing.close();
            handle.stop(true).await;
        });
        server.await?;
        drop(background);
        app.shutdown().await;
        Ok(())
    })
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
