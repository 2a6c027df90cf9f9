//! The database URL: which backend, where, and never a password in a log.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use super::postgres::{OptionError, Settings};

/// The `application_name` of connections whose URL gives none.
const APPLICATION: &str = "estimation";

/// Where the data is. `Debug` and `Display` show neither password nor options.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// `sqlite://PATH`: a file, absolute when the path begins with a slash, otherwise relative.
    Sqlite(PathBuf),
    /// `postgres://…` or `postgresql://…`, as libpq reads it.
    Postgres(PostgresUrl),
}

/// A connection URI as libpq has it. Holds a password, so it shows itself without.
#[derive(Clone)]
pub struct PostgresUrl {
    text: String,
    settings: Arc<Settings>,
}

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
    /// No file name or option has a zero byte in it.
    #[error("a database URL holds no zero byte")]
    ZeroByte,
    /// A `postgres://` URL, or a `PG…` variable that goes with it, that cannot be obeyed.
    #[error(transparent)]
    Postgres(#[from] OptionError),
}

impl FromStr for DatabaseUrl {
    type Err = UrlError;

    /// Reads a URL alone. What it leaves open has its default, whatever the environment says.
    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::read(text, &|_| None)
    }
}

impl DatabaseUrl {
    /// Reads a URL. What a `postgres://` URL leaves open is looked up in the environment, as libpq does it.
    ///
    /// # Errors
    /// [`UrlError`] when it is no URL of a database, or when the environment says what cannot be obeyed.
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

    /// The SQLite database in this file.
    pub fn sqlite(path: impl AsRef<Path>) -> Self {
        Self::Sqlite(path.as_ref().to_owned())
    }
}

impl PostgresUrl {
    /// How to connect.
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
