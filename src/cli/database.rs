//! Flags for the database and the data directory, and `estimation migrate`.

use std::path::PathBuf;

use clap::Args;

use estimation_command::terminal;

use tracing_subscriber::filter::LevelFilter;

use super::Failed;
use super::telemetry::log_lines;
use estimation_store::{Database, DatabaseUrl, Settings, UrlError, migrations};

/// Flags for the data.
#[derive(Args, Clone, Debug)]
pub(super) struct DataFlags {
    /// Directory of the SQLite database and the key file.
    #[arg(long, env = "ESTIMATION_DATA_DIR", default_value = "./data")]
    pub(super) data_dir: PathBuf,

    /// `sqlite://PATH` or `postgres://…`; by default `estimation.db` in the data directory.
    #[arg(long, env = "ESTIMATION_DATABASE_URL", hide_env_values = true)]
    database_url: Option<String>,
}

impl DataFlags {
    /// The database's URL. Creates the data directory if it is missing.
    pub(super) fn url(&self) -> Result<DatabaseUrl, Failed> {
        std::fs::create_dir_all(&self.data_dir)
            .map_err(|error| format!("cannot create {}: {error}", self.data_dir.display()))?;
        self.place()
    }

    /// The database's URL. Creates nothing.
    pub(super) fn place(&self) -> Result<DatabaseUrl, Failed> {
        match &self.database_url {
            Some(url) => Ok(read_url(url)?),
            None => Ok(DatabaseUrl::sqlite(self.data_dir.join("estimation.db"))),
        }
    }

    /// Opens the database and applies the migrations.
    pub(super) fn open(&self) -> Result<Database, Failed> {
        self.open_with(Settings::default())
    }

    /// Opens the database with settings and applies the migrations.
    pub(super) fn open_with(&self, settings: Settings) -> Result<Database, Failed> {
        let url = self.url()?;
        Database::open(&url, settings).map_err(|error| format!("{url}: {error}").into())
    }
}

/// Parses a database's URL. Refuses the `PG…` variables of libpq.
#[expect(
    clippy::disallowed_methods,
    reason = "these variables are PostgreSQL's, and no flags of this program"
)]
pub(super) fn read_url(text: &str) -> Result<DatabaseUrl, UrlError> {
    DatabaseUrl::read(text, &|name| std::env::var(name).ok())
}

pub(super) fn migrate(flags: &DataFlags) -> Result<(), Failed> {
    // The driver's own log lines are of no use here.
    log_lines(LevelFilter::WARN)?;
    let url = flags.url()?;
    migrations::apply(&url).map_err(|error| format!("{url}: {error}"))?;
    terminal::print_line(format_args!("{url} is up to date"))
}
