//! How the listener for notices connects: the same URL as libpq's, read for another driver.

use openssl::error::ErrorStack;
use openssl::ssl::{SslConnector, SslFiletype, SslMethod, SslVerifyMode};
use postgres_openssl::MakeTlsConnector;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use super::url::PostgresUrl;

/// The options of the URL that both drivers know by the same name.
const SHARED: &[&str] = &["host", "port", "user", "password", "dbname", "connect_timeout", "options"];

/// Why the listener cannot connect as the URL says.
#[derive(Debug, thiserror::Error)]
pub(super) enum ListenerError {
    /// The URL cannot be read.
    #[error("the database URL cannot be read: {0}")]
    Url(#[from] tokio_postgres::Error),
    /// Certificates or keys cannot be used.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] ErrorStack),
    /// A value of `sslmode` that libpq does not know either.
    #[error("unknown sslmode {0:?}")]
    SslMode(String),
}

impl PostgresUrl {
    /// The configuration of a connection that listens, with TLS as `sslmode` and its kin ask for.
    pub(super) fn listener(&self) -> Result<(Config, MakeTlsConnector), ListenerError> {
        let shared: Vec<String> = self
            .pairs()
            .filter(|(name, _)| SHARED.contains(name))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut config: Config = format!("{}?{}", self.base(), shared.join("&")).parse()?;
        config.application_name("estimation-listener").keepalives_idle(std::time::Duration::from_secs(30));
        let option = |wanted| self.pairs().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let mut connector = SslConnector::builder(SslMethod::tls())?;
        if let Some(file) = option("sslrootcert").filter(|file| *file != "system") {
            connector.set_ca_file(file)?;
        }
        if let (Some(certificate), Some(key)) = (option("sslcert"), option("sslkey")) {
            connector.set_certificate_chain_file(certificate)?;
            connector.set_private_key_file(key, SslFiletype::PEM)?;
        }
        let (mode, verify, hostname) = match option("sslmode").unwrap_or("prefer") {
            "disable" => (SslMode::Disable, false, false),
            "allow" | "prefer" => (SslMode::Prefer, false, false),
            "require" => (SslMode::Require, option("sslrootcert").is_some(), false),
            "verify-ca" => (SslMode::Require, true, false),
            "verify-full" => (SslMode::Require, true, true),
            other => return Err(ListenerError::SslMode(other.to_owned())),
        };
        config.ssl_mode(mode);
        connector.set_verify(if verify { SslVerifyMode::PEER } else { SslVerifyMode::NONE });
        let mut tls = MakeTlsConnector::new(connector.build());
        tls.set_callback(move |connection, _| {
            connection.set_verify_hostname(hostname);
            Ok(())
        });
        Ok((config, tls))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::DatabaseUrl;

    fn listener(url: &str) -> Result<Config, ListenerError> {
        match url.parse().unwrap() {
            DatabaseUrl::Postgres(url) => url.listener().map(|(config, _)| config),
            DatabaseUrl::Sqlite(_) => unreachable!(),
        }
    }

    #[test]
    fn options_that_only_libpq_knows_are_left_to_it() {
        let url = "postgres://noor:secret@db.example:6432/games?sslmode=require&tcp_user_timeout=5&target_session_attrs=any";
        let config = listener(url).unwrap();
        assert_eq!(config.get_ssl_mode(), SslMode::Require);
        assert_eq!(config.get_ports(), [6432]);
        assert_eq!(config.get_dbname(), Some("games"));
    }

    #[test]
    fn an_unknown_sslmode_is_refused() {
        assert!(matches!(listener("postgres://x/y?sslmode=maybe"), Err(ListenerError::SslMode(_))));
    }
}
