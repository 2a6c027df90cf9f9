//! Flags for the public log, and `estimation log`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Failed;
use super::database::DataFlags;
use super::keys::{KeyFlags, block_on};
use estimation_audit::terminal;
use estimation_service::public_log::{DEFAULT_ORIGIN, LogSettings, LogStateFile, Witness, begin_again};

/// Settings of the public log.
#[derive(Args, Clone, Debug)]
pub(super) struct LogFlags {
    /// Name of the public log: its public address without the scheme, as in cards.example/log. To change it, use
    /// `estimation log new-origin`.
    #[arg(long, env = "ESTIMATION_LOG_ORIGIN", default_value = DEFAULT_ORIGIN, value_parser = origin)]
    log_origin: String,

    /// File, outside the database and its backups, with the last checkpoint that was signed; on SQLite by default
    /// `log-state` in the data directory. A node does not sign a log that is older. PostgreSQL needs it, or a witness.
    #[arg(long, env = "ESTIMATION_LOG_STATE")]
    log_state: Option<PathBuf>,

    /// Witness that cosigns checkpoints, as URL,KEY with a verifier key name+hex8+base64. Repeat the flag for several; in
    /// the environment separate them with spaces.
    #[arg(long, env = "ESTIMATION_WITNESS", value_delimiter = ' ')]
    witness: Vec<Witness>,
}

fn origin(text: &str) -> Result<String, String> {
    estimation_tlog::KeyName::new(text).map(|name| name.to_string()).map_err(|error| error.to_string())
}

impl LogFlags {
    pub(super) fn witnesses(&self) -> Vec<Witness> {
        self.witness.clone()
    }

    pub(super) fn settings(&self, data: &DataFlags) -> Result<LogSettings, Failed> {
        let state_file = match &self.log_state {
            Some(path) => Some(LogStateFile::new(path.clone())),
            None if !data.is_shared()? => Some(LogStateFile::new(data.data_dir.join("log-state"))),
            None if self.witness.is_empty() => {
                return Err(
                    "on PostgreSQL the public log needs --log-state, a file outside the database, or \
                            --witness: without them a node would sign a log that was rolled back"
                        .into(),
                );
            }
            None => None,
        };
        Ok(LogSettings { origin: self.log_origin.clone(), state_file, witnesses: self.witness.clone() })
    }
}

#[derive(Subcommand, Clone, Debug)]
pub(super) enum LogTask {
    /// Begin a new log under another name, with new keys. Its first entry is the last checkpoint of the present log. Stop
    /// all nodes first, and start them with the new name.
    NewOrigin {
        /// The name of the new log.
        #[arg(value_parser = origin)]
        name: String,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        keys: KeyFlags,
    },
}

pub(super) fn run(task: &LogTask) -> Result<(), Failed> {
    let LogTask::NewOrigin { name, data, keys } = task;
    let database = data.open()?;
    let (ring, _) = keys.load(data, &database)?;
    let begun = block_on(async {
        let begun = begin_again(&database, &ring, name).await;
        database.shutdown().await;
        begun
    })??;
    terminal::print_line(format_args!("the log {name} begins after {begun}"))
}
