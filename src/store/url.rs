//! The database URL: which backend, where, and never a password in a log.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

/// Where the data is. `Debug` and `Display` show neither password nor options.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// `sqlite://PATH`: a file, absolute when the path begins with a slash, otherwise relative.
    Sqlite(PathBuf),
    /// `postgres://…` or `postgresql://…`, as libpq reads it.
    Postgres(PostgresUrl),
}

/// A libpq connection URI. Holds a password, so it shows itself without.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

/// A text that is no database URL.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UrlError {
    /// Not one of the schemes this server knows.
    #[error(
        "unknown database URL scheme {scheme:?}: use sqlite://PATH or postgres://USER:PASSWORD@HOST/DATABASE"
    )]
    UnknownScheme {
        /// What stood before `://`; empty when there was none.
        scheme: String,
    },
    /// `sqlite://` and nothing after it, a folder, or `:memory:`, which would be lost at every restart.
    #[error("a sqlite:// URL needs the path of a file")]
    NoPath,
    /// `?` and `#` are kept for options, of which there are none.
    #[error("a sqlite:// URL takes no options")]
    SqliteOptions,
    /// libpq cannot be given a text with a zero byte in it.
    #[error("a database URL holds no zero byte")]
    ZeroByte,
}

impl FromStr for DatabaseUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        if text.contains('\0') {
            return Err(UrlError::ZeroByte);
        }
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        match scheme {
            "sqlite" if rest.contains(['?', '#']) => Err(UrlError::SqliteOptions),
            "sqlite" if rest.is_empty() || rest.ends_with('/') || rest == ":memory:" => Err(UrlError::NoPath),
            "sqlite" => Ok(Self::Sqlite(PathBuf::from(rest))),
            "postgres" | "postgresql" => Ok(Self::Postgres(PostgresUrl(text.to_owned()))),
            _ => Err(UrlError::UnknownScheme { scheme: scheme.to_owned() }),
        }
    }
}

impl DatabaseUrl {
    /// The SQLite database in this file.
    pub fn sqlite(path: impl AsRef<Path>) -> Self {
        Self::Sqlite(path.as_ref().to_owned())
    }
}

impl PostgresUrl {
    /// The URI for libpq, with limits on how long a dead network can hold a connection, unless it sets
    /// its own.
    pub(super) fn connection_string(&self) -> String {
        const LIMITS: [(&str, &str); 4] = [
            ("connect_timeout", "5"),
            ("tcp_user_timeout", "15000"),
            ("keepalives_idle", "30"),
            ("application_name", "estimation"),
        ];
        let mut uri = self.0.clone();
        for (name, value) in LIMITS {
            let set = self.options().split('&').any(|option| option.split('=').next() == Some(name));
            if !set {
                uri.push(if uri.contains('?') { '&' } else { '?' });
                uri.push_str(name);
                uri.push('=');
                uri.push_str(value);
            }
        }
        uri
    }

    /// What libpq said, without the URI it may have quoted.
    pub(super) fn redact(&self, message: &str) -> String {
        let mut clean = message.replace(&self.0, &self.to_string());
        if let Some(password) = self.password().filter(|password| !password.is_empty()) {
            clean = clean.replace(password, "***");
        }
        clean
    }

    /// The URI without its options.
    pub(super) fn base(&self) -> &str {
        self.0.split('?').next().unwrap_or("")
    }

    /// The options, as they are written.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.options().split('&').filter_map(|option| option.split_once('='))
    }

    fn options(&self) -> &str {
        self.0.split_once('?').map_or("", |(_, options)| options)
    }

    fn authority(&self) -> &str {
        let rest = self.0.split_once("://").map_or("", |(_, rest)| rest);
        rest.split(['/', '?']).next().unwrap_or("")
    }

    fn password(&self) -> Option<&str> {
        let (user_info, _) = self.authority().rsplit_once('@')?;
        user_info.split_once(':').map(|(_, password)| password)
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = self.0.split('?').next().unwrap_or("");
        let (scheme, rest) = base.split_once("://").unwrap_or(("postgres", ""));
        // A slash inside a badly written password would end the authority early, so the last @ counts.
        match rest.rsplit_once('@') {
            Some((user_info, place)) => {
                let user = user_info.split(':').next().unwrap_or("");
                let secret = if user_info.contains(':') { ":***" } else { "" };
                write!(f, "{scheme}://{user}{secret}@{place}")
            }
            None => write!(f, "{scheme}://{rest}"),
        }
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite://{}", path.display()),
            Self::Postgres(url) => fmt::Display::fmt(url, f),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
