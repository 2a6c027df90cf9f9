//! Opens connections: picks a server and address, with or without TLS, each attempt with a timeout.
//!
//! All connections to PostgreSQL are opened here, including the one for notices.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use socket2::SockAddr;
use thiserror::Error;
use tokio::io::BufReader;
use tokio_postgres::config::SslMode as DriverSslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::{CallError, describe};
use super::session::wait;
use super::settings::{Endpoint, Settings, Target, Wanted};
use super::silence::Silence;
use super::socket::resolve;
use super::tls::{SslMode, TlsError};
use super::wire::Wire;

/// The half of a connection that performs its input and output.
pub(crate) type Line = Connection<Reading, <MakeRustlsConnect as MakeTlsConnect<Reading>>::Stream>;

/// The driver reads at most 8 KiB at a time and TLS 4 KiB. The buffer reads everything available in one
/// system call.
type Reading = BufReader<Wire>;

/// The read buffer's size: twice what PostgreSQL sends at once.
const BUFFER: usize = 16 * 1024;

/// A new connection.
pub(super) struct Connected {
    pub client: Client,
    pub line: Line,
    pub wire: Wire,
    /// The server's index in the URL, and where to report that it stopped answering.
    pub place: usize,
    pub silence: Arc<Silence>,
}

/// Why no server could be connected to, with the error of each.
#[derive(Debug, Error)]
pub(crate) enum ConnectError {
    /// Certificates or keys are unusable.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// Every server failed or was unsuitable.
    #[error("{}", .0.join("; "))]
    Refused(Vec<String>),
}

impl ConnectError {
    /// A session was opened but cannot be used.
    pub(super) fn unusable(error: CallError) -> Self {
        Self::Refused(vec![diesel::result::Error::from(error).to_string()])
    }
}

impl From<TlsError> for ConnectError {
    fn from(error: TlsError) -> Self {
        Self::Tls(error.to_string())
    }
}

/// Why one attempt failed.
#[derive(Debug, Error)]
enum AttemptError {
    #[error("no session within {0:?}")]
    TimedOut(Duration),
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
            Self::Driver(_) | Self::Unfit(_) => false,
        }
    }
}

/// Connects to the first suitable server. Blocks.
pub(super) fn connect(settings: &Settings) -> Result<Connected, ConnectError> {
    let tls = MakeRustlsConnect::new(settings.tls.client()?);
    let passes: &[Wanted] = match &settings.wanted {
        Wanted::PreferStandby => &[Wanted::Standby, Wanted::Any],
        wanted => std::slice::from_ref(wanted),
    };
    let mut refusals = Vec::new();
    for wanted in passes {
        for (place, target) in settings.targets() {
            let limit = settings.patience(place);
            let attempts = Attempts { settings, tls: &tls, place, target, limit, wanted: *wanted };
            let attempt = attempts.run();
            settings.silence.note(place, !attempt.as_ref().is_err_and(AttemptError::is_silence));
            match attempt {
                Ok(connected) => return Ok(connected),
                Err(error) => refusals.push(format!("{target}: {error}")),
            }
        }
    }
    Err(ConnectError::Refused(refusals))
}

/// Connects, and hands the connection to the caller's runtime.
pub(crate) async fn connect_within_runtime(settings: &Arc<Settings>) -> Result<(Client, Line), ConnectError> {
    let settings = Arc::clone(settings);
    let connecting = tokio::task::spawn_blocking(move || connect(&settings));
    let failed = |error: &dyn std::error::Error| ConnectError::Refused(vec![error.to_string()]);
    let Connected { client, line, wire, .. } = connecting.await.map_err(|error| failed(&error))??;
    wire.register().map_err(|error| failed(&error))?;
    Ok((client, line))
}

/// The attempts to connect to one server.
struct Attempts<'a> {
    settings: &'a Settings,
    tls: &'a MakeRustlsConnect,
    place: usize,
    target: &'a Target,
    /// The timeout of one address, including opening the session.
    limit: Duration,
    wanted: Wanted,
}

impl Attempts<'_> {
    /// Tries the addresses in order and returns the last one's error.
    fn run(&self) -> Result<Connected, AttemptError> {
        let limit = self.limit;
        let config = self.settings.config(self.target);
        let addresses = match &self.target.place {
            Endpoint::Socket(folder) => {
                let path = SockAddr::unix(folder.join(format!(".s.PGSQL.{}", self.target.port)));
                return self.once(&path.map_err(AttemptError::Socket)?, config, DriverSslMode::Disable);
            }
            Endpoint::Address { address, .. } => vec![SocketAddr::new(*address, self.target.port)],
            Endpoint::Name(name) => resolve(name, self.target.port, limit).map_err(AttemptError::Resolve)?,
        };
        let mut outcome = Err(AttemptError::Socket(io::ErrorKind::NotFound.into()));
        for address in addresses {
            outcome = self.at(&address.into(), &config);
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    /// Tries one address, with TLS and then without where both are allowed.
    fn at(&self, address: &SockAddr, config: &Config) -> Result<Connected, AttemptError> {
        let (first, second) = match self.settings.tls.mode {
            SslMode::Disable => (DriverSslMode::Disable, None),
            SslMode::Allow => (DriverSslMode::Disable, Some(DriverSslMode::Require)),
            SslMode::Prefer => (DriverSslMode::Require, Some(DriverSslMode::Disable)),
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => (DriverSslMode::Require, None),
        };
        match (self.once(address, config.clone(), first), second) {
            (Err(AttemptError::Driver(error)), Some(second))
                if error.code() != Some(&SqlState::CANNOT_CONNECT_NOW) =>
            {
                self.once(address, config.clone(), second)
            }
            (outcome, _) => outcome,
        }
    }

    fn once(
        &self,
        address: &SockAddr,
        mut config: Config,
        ssl_mode: DriverSslMode,
    ) -> Result<Connected, AttemptError> {
        let limit = self.limit;
        let deadline = Instant::now() + limit;
        let wire = Wire::new(self.settings.tcp.open(address, limit)?)?;
        let tls =
            MakeTlsConnect::<Reading>::make_tls_connect(&mut self.tls.clone(), &self.target.place.host());
        let tls = tls.unwrap_or_else(|impossible| match impossible {});
        config.ssl_mode(ssl_mode);
        let session = async {
            let (client, mut line) =
                config.connect_raw(BufReader::with_capacity(BUFFER, wire.clone()), tls).await?;
            let mismatch = mismatch(self.wanted, &client, &mut line).await?;
            Ok((client, line, mismatch))
        };
        let left = deadline.saturating_duration_since(Instant::now());
        match wait(&wire, session, |_| {}, left, || None) {
            None => Err(AttemptError::TimedOut(limit)),
            Some(Err(error)) => Err(AttemptError::Driver(error)),
            Some(Ok((_, _, Some(what)))) => Err(AttemptError::Unfit(what)),
            Some(Ok((client, line, None))) => {
                let (place, silence) = (self.place, Arc::clone(&self.settings.silence));
                Ok(Connected { client, line, wire, place, silence })
            }
        }
    }
}

/// The requirement that the server does not meet, if any.
async fn mismatch(
    wanted: Wanted,
    client: &Client,
    line: &mut Line,
) -> Result<Option<&'static str>, tokio_postgres::Error> {
    if wanted == Wanted::Any {
        return Ok(None);
    }
    let reported = |name| line.parameter(name).map(|value| value == "on");
    let (standby, read_only) = match (reported("in_hot_standby"), reported("default_transaction_read_only")) {
        (Some(standby), Some(read_only)) => (standby, standby || read_only),
        // Before PostgreSQL 14.
        _ => (
            holds(client, line, "SELECT pg_catalog.pg_is_in_recovery()").await?,
            holds(client, line, "SHOW transaction_read_only").await?,
        ),
    };
    Ok(match wanted {
        Wanted::ReadWrite if read_only => Some("open to writes"),
        Wanted::ReadOnly if !read_only => Some("read-only"),
        Wanted::Primary if standby => Some("a primary"),
        Wanted::Standby if !standby => Some("a standby"),
        _ => None,
    })
}

/// Runs a query that returns one boolean.
async fn holds(client: &Client, line: &mut Line, query: &str) -> Result<bool, tokio_postgres::Error> {
    let mut answer = pin!(client.simple_query(query));
    let messages = tokio::select! {
        messages = &mut answer => messages?,
        ended = line => {
            ended?;
            answer.await?
        }
    };
    Ok(messages.iter().any(|message| match message {
        SimpleQueryMessage::Row(row) => matches!(row.get(0), Some("t" | "on")),
        _ => false,
    }))
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Endpoint::Name(name) if name.contains(':') => write!(f, "[{name}]:{}", self.port),
            Endpoint::Name(name) => write!(f, "{name}:{}", self.port),
            Endpoint::Address { name: Some(name), address } => write!(f, "{name} ({address}):{}", self.port),
            Endpoint::Address { name: None, address } => {
                write!(f, "{}", SocketAddr::new(*address, self.port))
            }
            Endpoint::Socket(folder) => write!(f, "{}:{}", folder.display(), self.port),
        }
    }
}
