//! The settings of a connection URI: servers, user, TLS.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{ChannelBinding, SslNegotiation};

use super::options::{OptionError, Options};
use super::passfile::{self, Login};
use super::silence::Silence;
use super::socket::TcpSettings;
use super::tls::{SslMode, TlsSettings};

/// The default of `connect_timeout`: the time for one address, including opening the session.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// libpq's default when it is built from source.
const SOCKETS: &str = "/tmp";
const PORT: u16 = 5432;

/// A server to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub place: Endpoint,
    pub port: u16,
}

/// The address of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Endpoint {
    /// A name or an address, looked up for each connection.
    Name(String),
    /// An address, and the name its certificate must match.
    Address { name: Option<String>, address: IpAddr },
    /// The directory of a Unix socket.
    Socket(PathBuf),
}

/// `target_session_attrs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

/// Everything needed to connect.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(super) wanted: Wanted,
    /// The timeout of one address, including opening the session.
    pub(super) connect_timeout: Duration,
    pub(super) tcp: TcpSettings,
    pub(super) tls: TlsSettings,
    targets: Vec<Target>,
    shuffled: bool,
    /// Shared by all connections with these settings.
    pub(super) silence: Arc<Silence>,
    config: Config,
    user: String,
    database: String,
    passfile: Option<PathBuf>,
}

impl Settings {
    /// Reads a connection URI. The environment supplies what it leaves out.
    pub(crate) fn read(uri: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, OptionError> {
        let options = Options::read(uri, environment)?;
        Self::new(&options, environment("HOME").filter(|home| !home.is_empty()).map(PathBuf::from))
    }

    /// Interprets the options. `home` is the directory of default files.
    fn new(options: &Options, home: Option<PathBuf>) -> Result<Self, OptionError> {
        let user = match options.get("user") {
            Some(user) => user.to_owned(),
            None => whoami::username()
                .map_err(|_| OptionError::Contradiction("the database URL names no user"))?,
        };
        let database = options.get("dbname").unwrap_or(&user).to_owned();
        let mut config = Config::new();
        config.user(&user).dbname(&database).channel_binding(channel_binding(options)?);
        if let Some(password) = options.get("password") {
            config.password(password);
        }
        if let Some(text) = options.get("options") {
            config.options(text);
        }
        let name = options.get("application_name").or(options.get("fallback_application_name"));
        if let Some(name) = name {
            config.application_name(name);
        }
        let tls = TlsSettings::new(options, home.as_deref())?;
        let direct = options
            .choice("sslnegotiation", "postgres or direct", &[("postgres", false), ("direct", true)])?
            .unwrap_or(false);
        if direct {
            if matches!(tls.mode, SslMode::Disable | SslMode::Allow | SslMode::Prefer) {
                return Err(OptionError::Contradiction(
                    "sslnegotiation=direct needs sslmode=require, verify-ca or verify-full",
                ));
            }
            config.ssl_negotiation(SslNegotiation::Direct);
        }
        let passfile = options.get("passfile").map(PathBuf::from).or(home.map(|home| home.join(".pgpass")));
        let settings = Self {
            targets: targets(options)?,
            shuffled: options
                .choice("load_balance_hosts", "disable or random", &[("disable", false), ("random", true)])?
                .unwrap_or(false),
            silence: Arc::default(),
            wanted: wanted(options)?,
            connect_timeout: connect_timeout(options)?,
            tcp: TcpSettings::new(options)?,
            tls,
            config,
            user,
            database,
            passfile,
        };
        settings.refuse_nameless_checks()?;
        Ok(settings)
    }

    /// A copy with this `application_name`, unless the URI or the environment sets one.
    pub(crate) fn or_named(mut self, name: &str) -> Self {
        if self.config.get_application_name().is_none() {
            self.config.application_name(name);
        }
        self
    }

    /// A copy for the connection that listens, with another name at the server.
    pub(crate) fn for_listening(&self) -> Self {
        let mut settings = self.clone();
        let name = self.config.get_application_name().unwrap_or_default();
        settings.config.application_name(format!("{name}-listener"));
        settings
    }

    /// The servers with their indexes in the URL, in the order to try them. Servers that did not answer
    /// recently come last.
    pub(super) fn targets(&self) -> Vec<(usize, &Target)> {
        let mut targets: Vec<(usize, &Target)> = self.targets.iter().enumerate().collect();
        if self.shuffled {
            targets.sort_by_cached_key(|_| RandomState::new().hash_one(()));
        }
        targets.sort_by_key(|(place, _)| self.silence.covers(*place));
        targets
    }

    /// The timeout for opening a session. Short for a server that did not answer recently while others exist.
    pub(super) fn patience(&self, place: usize) -> Duration {
        let is_last_resort = self.targets.len() > 1 && self.silence.covers(place);
        if is_last_resort { self.connect_timeout / 6 } else { self.connect_timeout }
    }

    /// The driver's configuration for one server. Reads the password file for each connection.
    pub(super) fn config(&self, target: &Target) -> Config {
        let mut config = self.config.clone();
        if config.get_password().is_none()
            && let Some(path) = &self.passfile
        {
            let login = Login {
                host: &target.place.key(),
                port: target.port,
                database: &self.database,
                user: &self.user,
            };
            if let Some(password) = passfile::password(path, login) {
                config.password(password);
            }
        }
        config
    }

    fn refuse_nameless_checks(&self) -> Result<(), OptionError> {
        let nameless = |target: &Target| matches!(&target.place, Endpoint::Address { name: None, .. });
        if self.tls.mode == SslMode::VerifyFull && self.targets.iter().any(nameless) {
            return Err(OptionError::Contradiction("sslmode=verify-full needs a host as well as hostaddr"));
        }
        Ok(())
    }
}

/// The servers and the database, without secrets, for logs.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers: Vec<String> = self.targets.iter().map(ToString::to_string).collect();
        write!(f, "{}/{}", servers.join(","), self.database)
    }
}

impl Endpoint {
    /// The name or address that the server's certificate must match.
    pub(super) fn host(&self) -> String {
        match self {
            Self::Name(name) | Self::Address { name: Some(name), .. } => name.clone(),
            Self::Address { name: None, address } => address.to_string(),
            Self::Socket(_) => String::new(),
        }
    }

    /// The host as password files write it.
    fn key(&self) -> String {
        match self {
            Self::Name(name) | Self::Address { name: Some(name), .. } => name.clone(),
            Self::Address { name: None, address } => address.to_string(),
            Self::Socket(folder) if folder.as_os_str() == SOCKETS => "localhost".to_owned(),
            Self::Socket(folder) => folder.display().to_string(),
        }
    }
}

fn channel_binding(options: &Options) -> Result<ChannelBinding, OptionError> {
    let choices = [
        ("disable", ChannelBinding::Disable),
        ("prefer", ChannelBinding::Prefer),
        ("require", ChannelBinding::Require),
    ];
    let chosen = options.choice("channel_binding", "disable, prefer or require", &choices)?;
    Ok(chosen.unwrap_or(ChannelBinding::Prefer))
}

fn wanted(options: &Options) -> Result<Wanted, OptionError> {
    let choices = [
        ("any", Wanted::Any),
        ("read-write", Wanted::ReadWrite),
        ("read-only", Wanted::ReadOnly),
        ("primary", Wanted::Primary),
        ("standby", Wanted::Standby),
        ("prefer-standby", Wanted::PreferStandby),
    ];
    let expected = "any, read-write, read-only, primary, standby or prefer-standby";
    Ok(options.choice("target_session_attrs", expected, &choices)?.unwrap_or(Wanted::Any))
}

/// For libpq, zero or less means no timeout. Here there always is one.
fn connect_timeout(options: &Options) -> Result<Duration, OptionError> {
    let seconds = options.number("connect_timeout")?.and_then(|seconds| u64::try_from(seconds).ok());
    Ok(seconds.filter(|seconds| *seconds > 0).map_or(CONNECT_TIMEOUT, Duration::from_secs))
}

/// Combines the lists of hosts, addresses and ports.
fn targets(options: &Options) -> Result<Vec<Target>, OptionError> {
    let list = |name| options.get(name).map(|text| text.split(',').collect::<Vec<_>>());
    let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"));
    let count = addresses.as_ref().or(hosts.as_ref()).map_or(1, Vec::len);
    if hosts.as_ref().is_some_and(|hosts| hosts.len() != count) {
        return Err(OptionError::Contradiction("there are not as many hosts as values of hostaddr"));
    }
    let ports = ports.unwrap_or_default();
    if ports.len() > 1 && ports.len() != count {
        return Err(OptionError::Contradiction("there are neither one port nor as many as hosts"));
    }
    let item = |list: &Option<Vec<&str>>, index: usize| {
        list.as_ref()
            .and_then(|list| list.get(index))
            .copied()
            .filter(|item| !item.is_empty())
            .map(str::to_owned)
    };
    let target = |index: usize| {
        let port = ports.get(index).or(ports.first()).copied().unwrap_or_default();
        let port = if port.is_empty() { Ok(PORT) } else { port.trim().parse() };
        let port = port.ok().filter(|port| *port != 0);
        let wrong = |name: &str, expected| OptionError::Value { name: name.to_owned(), expected };
        let place = match (item(&hosts, index), item(&addresses, index)) {
            (name, Some(address)) => Endpoint::Address {
                name,
                address: address.parse().map_err(|_| wrong("hostaddr", "IP addresses"))?,
            },
            (Some(name), None) if name.starts_with('/') => Endpoint::Socket(name.into()),
            (Some(name), None) => Endpoint::Name(name),
            (None, None) => Endpoint::Socket(SOCKETS.into()),
        };
        Ok(Target { place, port: port.ok_or_else(|| wrong("port", "numbers from 1 to 65535"))? })
    };
    (0..count).map(target).collect()
}
