//! Opens connections: picks a server and address, with or without TLS, each attempt with a timeout.
//!
//! All connections to PostgreSQL are opened here, including the one for messages.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use socket2::SockAddr;
use thiserror::Error;
use tokio::io::BufReader;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::backend::Backend;
use crate::error::{CallError, describe};
use crate::session::{Driver, Reading, Session, TlsStream, wait};
use crate::settings::{Settings, Target};
use crate::socket::{open, resolve};
use crate::tls::TlsError;
use crate::wire::Wire;

/// The read buffer's size: twice what PostgreSQL sends at once. The driver reads at most 8 KiB at a time and
/// TLS 4 KiB; the buffer reads everything available in one system call.
const BUFFER: usize = 16 * 1024;

/// Why no server could be connected to: the error of each.
#[derive(Debug, Error)]
#[error("{}", .0.join("; "))]
pub struct ConnectError(Vec<String>);

/// Why one attempt failed.
#[derive(Debug, Error)]
enum AttemptError {
    #[error("no session within {0:?}")]
    TimedOut(Duration),
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] TlsError),
    #[error("the name cannot be resolved: {0}")]
    Resolve(io::Error),
    #[error(transparent)]
    Socket(#[from] io::Error),
    #[error("{}", describe(.0))]
    Driver(#[from] tokio_postgres::Error),
    #[error("the server is not {0}")]
    Unfit(&'static str),
}

impl AttemptError {
    /// Whether the server did not answer at all.
    fn is_silence(&self) -> bool {
        match self {
            Self::TimedOut(_) => true,
            Self::Resolve(error) | Self::Socket(error) => {
                matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::HostUnreachable)
            }
            Self::Tls(_) | Self::Driver(_) | Self::Unfit(_) => false,
        }
    }
}

/// Connects to the first suitable server. Blocks.
pub(crate) fn connect(settings: &Settings) -> Result<(Session, Backend), ConnectError> {
    let mut refusals = Vec::new();
    for target in settings.targets() {
        let outcome = attempt(settings, target);
        target.silence.note(!outcome.as_ref().is_err_and(AttemptError::is_silence));
        match outcome {
            Ok(connected) => return Ok(connected),
            Err(error) => refusals.push(format!("{target}: {error}")),
        }
    }
    Err(ConnectError(refusals))
}

/// Connects, and hands the connection to the caller's runtime. Also returns the id of the server's process.
///
/// # Errors
/// None of the servers can be connected to.
pub async fn connect_within_runtime(
    settings: &Arc<Settings>,
) -> Result<(Client, Driver, String), ConnectError> {
    let settings = Arc::clone(settings);
    let connecting = tokio::task::spawn_blocking(move || connect(&settings));
    let failed = |error: &dyn std::error::Error| ConnectError(vec![error.to_string()]);
    let (session, backend) = connecting.await.map_err(|error| failed(&error))??;
    let (client, driver) = session.into_runtime().map_err(|error| failed(&error))?;
    Ok((client, driver, backend.process))
}

/// Tries the addresses of a server in order and returns the last one's error.
fn attempt(settings: &Settings, target: &Target) -> Result<(Session, Backend), AttemptError> {
    let limit = settings.patience(target);
    let mut config = settings.config.clone();
    config.ssl_mode(target.mode.for_driver());
    let mut tls = MakeRustlsConnect::new(settings.tls.client(target.mode)?);
    let mut outcome = Err(AttemptError::Socket(io::ErrorKind::NotFound.into()));
    for address in addresses(target, limit)? {
        let Ok(tls) = MakeTlsConnect::<Reading>::make_tls_connect(&mut tls, &target.host);
        outcome = at(&address, target, &config, tls, limit);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

fn addresses(target: &Target, limit: Duration) -> Result<Vec<SockAddr>, AttemptError> {
    let Target { host, port, .. } = target;
    match target.address {
        Some(address) => Ok(vec![SocketAddr::new(address, *port).into()]),
        None if target.is_socket() => Ok(vec![SockAddr::unix(format!("{host}/.s.PGSQL.{port}"))?]),
        None => {
            let found = resolve(host, *port, limit).map_err(AttemptError::Resolve)?;
            Ok(found.into_iter().map(SockAddr::from).collect())
        }
    }
}

/// Opens a session at one address, and checks that it is what `target_session_attrs` asks for.
fn at(
    address: &SockAddr,
    target: &Target,
    config: &Config,
    tls: impl TlsConnect<Reading, Stream = TlsStream>,
    limit: Duration,
) -> Result<(Session, Backend), AttemptError> {
    let deadline = Instant::now() + limit;
    let left = || deadline.saturating_duration_since(Instant::now());
    let wire = Wire::new(open(config, address, limit)?)?;
    let opening = config.connect_raw(BufReader::with_capacity(BUFFER, wire.clone()), tls);
    let opened = wait(&wire, opening, |_| {}, left(), || None);
    let (client, driver) = opened.ok_or(AttemptError::TimedOut(limit))??;
    let mut session = Session::new(client, driver, wire, Arc::clone(&target.silence), left());
    let backend = Backend::of(&mut session).map_err(|error| match error {
        CallError::TimedOut(_) => AttemptError::TimedOut(limit),
        CallError::Closed(error) | CallError::Refused(error) => AttemptError::Driver(error),
    })?;
    match (config.get_target_session_attrs(), backend.is_read_only) {
        (TargetSessionAttrs::ReadWrite, true) => Err(AttemptError::Unfit("open to writes")),
        (TargetSessionAttrs::ReadOnly, false) => Err(AttemptError::Unfit("read-only")),
        _ => Ok((session, backend)),
    }
}
