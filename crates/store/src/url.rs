//! The database URL. Hides passwords from logs.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use estimation_postgres::{OptionError, Settings};

/// The default `application_name` of PostgreSQL connections.
const APPLICATION: &str = "estimation";

/// The location of the database. `Debug` and `Display` show neither password nor options.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// `sqlite://PATH`: a file, absolute when the path begins with a slash, otherwise relative.
    Sqlite(PathBuf),
    /// `postgres://…` or `postgresql://…`, as `tokio_postgres::Config` reads it, with options of TLS.
    Postgres(PostgresUrl),
}

/// A connection URL. Its `Debug` and `Display` hide the password.
#[derive(Clone)]
pub struct PostgresUrl {
    text: String,
    settings: Arc<Settings>,
}

/// The text is not a database URL.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UrlError {
    /// Unknown scheme.
    #[error(
        "unknown database URL scheme {scheme:?}: use sqlite://PATH or postgres://USER:PASSWORD@HOST/DATABASE"
    )]
    UnknownScheme {
        /// The text before `://`; empty when there was none.
        scheme: String,
    },
    /// `sqlite://` with no path, a directory, or `:memory:`, which would lose all data at a restart.
    #[error("a sqlite:// URL needs a file path")]
    NoPath,
    /// `?` and `#` are reserved for options, and there are none.
    #[error("a sqlite:// URL takes no options")]
    SqliteOptions,
    /// No file name or option can contain a zero byte.
    #[error("a database URL must not contain a zero byte")]
    ZeroByte,
    /// An unsupported `postgres://` URL or `PG…` variable.
    #[error(transparent)]
    Postgres(#[from] OptionError),
}

impl FromStr for DatabaseUrl {
    type Err = UrlError;

    /// Reads a URL without a look at the environment.
    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::read(text, &|_| None)
    }
}

impl DatabaseUrl {
    /// Reads a URL. The environment may not have variables of libpq beside a `postgres://` URL.
    ///
    /// # Errors
    /// [`UrlError`] when the text is not a database URL, or the environment has a variable that is not read.
    pub fn read(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, UrlError> {
        if text.contains('\0') {
            return Err(UrlError::ZeroByte);
        }
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        match scheme {
            "sqlite" if rest.contains(['?', '#']) => Err(UrlError::SqliteOptions),
            "sqlite" if rest.is_empty() || rest.ends_with('/') || rest == ":memory:" => Err(UrlError::NoPath),
            "sqlite" => Ok(Self::Sqlite(PathBuf::from(rest))),
            "postgres" | "postgresql" => {
                let settings = Arc::new(Settings::read(text, environment)?.or_named(APPLICATION));
                Ok(Self::Postgres(PostgresUrl { text: text.to_owned(), settings }))
            }
            _ => Err(UrlError::UnknownScheme { scheme: scheme.to_owned() }),
        }
    }

    pub fn sqlite(path: impl AsRef<Path>) -> Self {
        Self::Sqlite(path.as_ref().to_owned())
    }
}

impl PostgresUrl {
    /// The connection settings.
    pub(super) fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }
}

impl PartialEq for PostgresUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PostgresUrl {}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = self.text.split('?').next().unwrap_or("");
        let (scheme, rest) = base.split_once("://").unwrap_or(("postgres", ""));
        // An unescaped slash in a password would end the authority early, so the last @ counts.
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
