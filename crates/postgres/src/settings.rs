//! Reads a connection URL: what `tokio_postgres::Config` reads, and the options of TLS.
//!
//! Nothing else has an effect: no `PG…` variable, and no file that the URL does not name.

use std::error::Error as _;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts};

use crate::silence::Silence;
use crate::tls::{SslMode, TlsSettings};

/// The options' defaults. Without them the driver waits for a server as long as the system does.
const DEFAULTS: &str = "connect_timeout=3&keepalives_idle=30&tcp_user_timeout=15";
const PORT: u16 = 5432;

/// The variables with which libpq's programs are told where and how to connect. They have no effect here, so a
/// node does not start while one is set: it may be one that protects.
const VARIABLES: [&str; 30] = [
    "PGAPPNAME",
    "PGCHANNELBINDING",
    "PGCONNECT_TIMEOUT",
    "PGDATABASE",
    "PGGSSDELEGATION",
    "PGGSSENCMODE",
    "PGHOST",
    "PGHOSTADDR",
    "PGLOADBALANCEHOSTS",
    "PGMINPROTOCOLVERSION",
    "PGOPTIONS",
    "PGPASSFILE",
    "PGPASSWORD",
    "PGPORT",
    "PGREQUIREAUTH",
    "PGREQUIREPEER",
    "PGSERVICE",
    "PGSSLCERT",
    "PGSSLCERTMODE",
    "PGSSLCRL",
    "PGSSLCRLDIR",
    "PGSSLKEY",
    "PGSSLMAXPROTOCOLVERSION",
    "PGSSLMINPROTOCOLVERSION",
    "PGSSLMODE",
    "PGSSLNEGOTIATION",
    "PGSSLROOTCERT",
    "PGSSLSNI",
    "PGTARGETSESSIONATTRS",
    "PGUSER",
];

/// Why a connection URL is refused. Holds no value of the URL, because it may be a password.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    /// An unknown option, an invalid value, or options that contradict one another.
    #[error("the database URL cannot be read: {0}")]
    Unreadable(String),
    /// A variable of libpq is set.
    #[error("the environment variable {0} is not read: unset it, and use an option of the database URL")]
    Variable(&'static str),
}

impl From<&str> for OptionError {
    fn from(why: &str) -> Self {
        Self::Unreadable(why.to_owned())
    }
}

/// A server to try.
#[derive(Clone)]
pub(crate) struct Target {
    /// The name or address that the server's certificate must have; for a Unix socket its folder.
    pub host: String,
    /// The address, unless the host is to be looked up for each connection.
    pub address: Option<IpAddr>,
    pub port: u16,
    pub mode: SslMode,
    /// Shared by all connections to the server.
    pub silence: Arc<Silence>,
}

/// Everything needed to connect.
#[derive(Clone)]
pub struct Settings {
    pub(crate) config: Config,
    pub(crate) tls: TlsSettings,
    targets: Vec<Target>,
}

impl Settings {
    /// Reads a connection URL. `environment` looks a variable up.
    ///
    /// # Errors
    /// [`OptionError::Unreadable`]; [`OptionError::Variable`] for a variable of libpq that is set.
    pub fn read(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, OptionError> {
        let is_set = |name: &&str| environment(name).is_some_and(|value| !value.is_empty());
        if let Some(name) = VARIABLES.into_iter().find(is_set) {
            return Err(OptionError::Variable(name));
        }
        let (base, options) = url.split_once('?').unwrap_or((url, ""));
        if options.contains('@') {
            // The driver would take everything before it for the user and the password.
            return Err("write \"@\" as %40 in options, and \"?\" as %3F before them".into());
        }
        let (mut tls, mut others) = (TlsSettings::default(), DEFAULTS.to_owned());
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').ok_or("an option has no \"=\"")?;
            if !tls.set(&decode(name)?, &decode(value)?)? {
                others = format!("{others}&{option}");
            }
        }
        tls.check()?;
        let config = parse(&format!("{base}?{others}"))?;
        Ok(Self { targets: targets(&config, &tls)?, config, tls })
    }

    /// A copy with this `application_name`, unless the URL sets one.
    pub fn or_named(mut self, name: &str) -> Self {
        if self.config.get_application_name().is_none() {
            self.config.application_name(name);
        }
        self
    }

    /// A copy for the connection that listens, with another name at the server.
    pub fn for_listening(&self) -> Self {
        let mut settings = self.clone();
        let name = self.config.get_application_name().unwrap_or_default();
        settings.config.application_name(format!("{name}-listener"));
        settings
    }

    /// The servers in the order to try them. Servers that did not answer recently come last.
    pub(crate) fn targets(&self) -> Vec<&Target> {
        let mut targets: Vec<&Target> = self.targets.iter().collect();
        if self.config.get_load_balance_hosts() == LoadBalanceHosts::Random {
            targets.sort_by_cached_key(|_| RandomState::new().hash_one(()));
        }
        targets.sort_by_key(|target| target.silence.is_remembered());
        targets
    }

    /// The timeout of one address of a server, including opening the session. Short for a server that did not
    /// answer recently while others exist.
    pub(crate) fn patience(&self, target: &Target) -> Duration {
        let usual = self.config.get_connect_timeout().copied().unwrap_or_default();
        let is_last_resort = self.targets.len() > 1 && target.silence.is_remembered();
        if is_last_resort { usual / 6 } else { usual }
    }
}

/// The servers and the database, without secrets, for logs.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers: Vec<String> = self.targets.iter().map(ToString::to_string).collect();
        write!(f, "{}/{}", servers.join(","), self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, .. } = self;
        match self.address {
            Some(address) if address.to_string() != *host => write!(f, "{host} ({address}):{port}"),
            _ if host.contains(':') => write!(f, "[{host}]:{port}"),
            _ => write!(f, "{host}:{port}"),
        }
    }
}

impl Target {
    pub(crate) fn is_socket(&self) -> bool {
        self.host.starts_with('/') && self.address.is_none()
    }

    /// Whether the server is on this machine.
    fn is_local(&self) -> bool {
        let is_loopback = |address: IpAddr| address.is_loopback();
        let is_named_so =
            self.host.eq_ignore_ascii_case("localhost") || self.host.parse().is_ok_and(is_loopback);
        self.is_socket() || is_named_so && self.address.is_none_or(is_loopback)
    }
}

fn parse(url: &str) -> Result<Config, OptionError> {
    url.parse().map_err(|error: tokio_postgres::Error| {
        let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        OptionError::Unreadable(why)
    })
}

/// Decodes a part of a URL as the driver does.
fn decode(text: &str) -> Result<String, OptionError> {
    let config = parse(&format!("postgres://?application_name={text}"))?;
    Ok(config.get_application_name().unwrap_or_default().to_owned())
}

/// Combines the lists of hosts, addresses and ports.
fn targets(config: &Config, tls: &TlsSettings) -> Result<Vec<Target>, &'static str> {
    let (addresses, ports) = (config.get_hostaddrs(), config.get_ports());
    let named = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(folder) => folder.display().to_string(),
    });
    let mut hosts: Vec<String> = named.collect();
    if hosts.is_empty() {
        hosts.extend(addresses.iter().map(ToString::to_string));
    }
    if hosts.is_empty() || hosts.iter().any(String::is_empty) {
        return Err("it names no host");
    }
    if !addresses.is_empty() && addresses.len() != hosts.len() {
        return Err("there are not as many hosts as values of hostaddr");
    }
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err("there are neither one port nor as many as hosts");
    }
    let target = |(index, host): (usize, String)| {
        let mut target = Target {
            host,
            address: addresses.get(index).copied(),
            port: ports.get(index).or(ports.first()).copied().unwrap_or(PORT),
            mode: SslMode::Disable,
            silence: Arc::default(),
        };
        if !target.is_socket() {
            target.mode = tls.mode(target.is_local());
        }
        target
    };
    Ok(hosts.into_iter().enumerate().map(target).collect())
}
