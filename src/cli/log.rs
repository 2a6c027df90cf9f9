//! Flags for the public log, and `estimation log`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Failed;
use super::database::DataFlags;
use super::keys::{KeyFlags, block_on};
use super::values::{Switch, switch};
use estimation_command::terminal;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::public_log::failure::LogFailure;
use estimation_service::public_log::{
    BegunLog, DEFAULT_ORIGIN, LogSettings, LogStateFile, LogStatus, Witness, begin_again,
};
use estimation_service::services::{App, AppSettings};
use estimation_store::PostgresServer;

/// Settings of the public log.
#[derive(Args, Clone, Debug)]
pub(super) struct LogFlags {
    /// Name of the public log: its public address without the scheme, as in cards.example/log. To change it, use
    /// `estimation log new-origin`.
    #[arg(long, env = "ESTIMATION_LOG_ORIGIN", default_value = DEFAULT_ORIGIN, value_parser = origin)]
    log_origin: String,

    /// File, outside the database and its backups, with the largest checkpoint that the node has seen; by default
    /// `log-state` in the data directory. A node does not sign a log that does not continue it.
    #[arg(long, env = "ESTIMATION_LOG_STATE")]
    log_state: Option<PathBuf>,

    /// Whether failovers of PostgreSQL promote synchronous standbys only. With `on` a node signs on a new timeline without
    /// asking.
    #[arg(long, env = "ESTIMATION_SYNCHRONOUS_STANDBYS", default_value = "off", value_parser = switch)]
    synchronous_standbys: Switch,

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

    pub(super) fn settings(&self, data: &DataFlags) -> LogSettings {
        let path = self.log_state.clone().unwrap_or_else(|| data.data_dir.join("log-state"));
        LogSettings {
            origin: self.log_origin.clone(),
            state_file: Some(LogStateFile::new(path)),
            witnesses: self.witness.clone(),
            synchronous_standbys: self.synchronous_standbys.0,
        }
    }
}

#[derive(Subcommand, Clone, Debug)]
pub(super) enum LogTask {
    /// Begin a new log under another name, with new keys. Its first entry is the last checkpoint of the present log, and
    /// the entries beyond that checkpoint wait for it. Stop all nodes first, and start them with the new name.
    NewOrigin {
        /// The name of the new log.
        #[arg(value_parser = origin)]
        name: String,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        keys: KeyFlags,
    },
    /// Accept the log of the database as the one to continue, and write its last checkpoint to the state file of this node:
    /// after the file was lost, on a new node, or after PostgreSQL moved to a new timeline. Not after a restore, which
    /// needs a new log.
    Init(NodeFlags),
    /// Print what the database, the state file and the witnesses have of the log, and why it is not signed.
    Status(NodeFlags),
}

/// The settings of a node.
#[derive(Args, Clone, Debug)]
pub(super) struct NodeFlags {
    #[command(flatten)]
    data: DataFlags,
    #[command(flatten)]
    keys: KeyFlags,
    #[command(flatten)]
    log: LogFlags,
}

impl NodeFlags {
    /// Does something with the application of a node that is not started.
    fn with_app<T>(&self, work: impl AsyncFnOnce(&App) -> Result<T, LogFailure>) -> Result<T, Failed> {
        let database = self.data.open()?;
        let (ring, _) = self.keys.load(&self.data, &database)?;
        let log = self.log.settings(&self.data);
        let done = block_on(async {
            let app = App::new(database, ring, AppSettings { log, ..AppSettings::default() });
            let done = work(&app).await;
            app.shutdown().await;
            done
        })?;
        Ok(done?)
    }
}

pub(super) fn run(task: &LogTask) -> Result<(), Failed> {
    match task {
        LogTask::NewOrigin { name, data, keys } => new_origin(name, data, keys),
        LogTask::Init(node) => {
            let state = node.with_app(async |app| app.public_log.init().await)?;
            let size = state.checkpoint.size;
            terminal::print_line(format_args!(
                "the log {} continues from {size} entries",
                state.checkpoint.origin
            ))
        }
        LogTask::Status(node) => {
            let status = node.with_app(async |app| app.public_log.status().await)?;
            let status = status.ok_or("there is no log yet: start a node")?;
            lines(&status).iter().try_for_each(terminal::print_line)
        }
    }
}

fn new_origin(name: &str, data: &DataFlags, keys: &KeyFlags) -> Result<(), Failed> {
    let database = data.open()?;
    let (ring, _) = keys.load(data, &database)?;
    let begun = block_on(async {
        let begun = begin_again(&database, &ring, SystemClock.now(), name).await;
        database.shutdown().await;
        begun
    })??;
    let BegunLog { former, signed, moved, left } = begun;
    terminal::print_line(format_args!(
        "the log {name} begins after {former} with {signed} entries; {moved} later ones wait for it"
    ))?;
    if left == 0 {
        return Ok(());
    }
    terminal::print_line(format_args!("{left} entries of {former} are of no game and stay there"))
}

/// The lines of a status, each with its name.
fn lines(status: &LogStatus) -> Vec<String> {
    let signed = match status.signed_at {
        None => "never".to_owned(),
        Some(at) => format!("{} entries at {at:.0}", status.signed_size),
    };
    let mut lines = vec![
        format!("origin    {}", status.origin),
        format!("entries   {}", status.size),
        format!("signed    {signed}"),
        format!("waiting   {}", status.waiting),
        format!("refused   {}", status.refused),
    ];
    if let Some((path, text)) = &status.state_file {
        let holds = text.trim_end().replace('\n', ", ");
        lines.push(format!("state     {}: {holds}", path.display()));
    }
    if let Some(PostgresServer { system, timeline, database }) = &status.server {
        lines.push(format!("postgres  system {system}, timeline {timeline}, database {database}"));
    }
    for witness in &status.witnesses {
        let size = witness.size.map_or("nothing".to_owned(), |size| format!("{size} entries"));
        let trouble = witness.trouble.as_ref().map_or(String::new(), |trouble| format!(": {trouble}"));
        lines.push(format!("witness   {} has seen {size}{trouble}", witness.name));
    }
    lines.push(match (&status.refusal, status.overdue_start) {
        (Some(refusal), _) => format!("signing   no, {}: {}", refusal.reason, refusal.detail),
        (None, Some(start)) => format!(
            "signing   unknown: the start of {start:.0} waits. A node that runs refuses with start-overdue; if none runs, the \
             next one enters it"
        ),
        (None, None) => "signing   yes".to_owned(),
    });
    lines
}
