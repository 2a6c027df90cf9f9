//! The command line: every flag is also an environment variable `ESTIMATION_…`.

mod access;
mod account;
mod audit;
mod backup;
mod configuration;
mod connections;
mod database;
mod keys;
mod pages;
mod score;
mod serve;
mod telemetry;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use estimation_audit::Failed;
use estimation_audit::terminal::{self, finish};

use self::account::AccountFlags;
use self::backup::BackupFlags;
use self::configuration::Configuration;
use self::database::DataFlags;
use self::keys::KeysTask;
use self::pages::{CompletionsFlags, ManFlags};
use self::score::ScoreFlags;
use self::serve::ServeFlags;

/// The server that Estimation card-game apps build on.
#[derive(Parser)]
#[command(name = "estimation", version, about, args_conflicts_with_subcommands = true)]
struct Arguments {
    /// A file with settings, in TOML; its keys are the names of the flags. The environment goes before it,
    /// and a flag before both.
    #[arg(long, env = "ESTIMATION_CONFIG", value_name = "FILE", global = true)]
    config: Option<std::path::PathBuf>,
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    serve: ServeFlags,
}

#[derive(Subcommand)]
enum Task {
    /// Serve (also what happens without a subcommand).
    Serve(ServeFlags),
    /// Print the settings of the service that are in effect, without secrets.
    Config(ServeFlags),
    /// Bring the database's schema up to date, and do nothing else.
    Migrate(DataFlags),
    /// Copy an SQLite database that may be in use.
    Backup(BackupFlags),
    /// Write the OpenAPI document to the standard output.
    Openapi,
    /// Change accounts.
    Account(AccountFlags),
    /// Change the keys.
    #[command(subcommand)]
    Keys(KeysTask),
    /// Score rounds that were played with real cards.
    Score(ScoreFlags),
    /// Verify histories: of files, of a service, or of a database.
    Audit(audit::Flags),
    /// Print the completions for a shell.
    Completions(CompletionsFlags),
    /// Print the manual page, or write one for each subcommand into a directory.
    Man(ManFlags),
}

/// Runs the command line of the process.
pub fn run() -> ExitCode {
    match parsed() {
        Ok((_, Some(printed))) => finish("estimation", terminal::print(printed)),
        Ok((arguments, None)) => finish("estimation", carry_out(arguments)),
        Err(error) => finish("estimation", Err(error)),
    }
}

/// The command line with the settings of the configuration file; for `config`, what is to be printed.
fn parsed() -> Result<(Arguments, Option<String>), Failed> {
    let command = Arguments::command();
    let configuration = Configuration::read(&command)?;
    let mut command = configuration.applied(command)?;
    let matches = command.clone().get_matches();
    command.build();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let printed = match matches.subcommand() {
        Some(("config", matches)) => Some(configuration.effective(&command, matches)),
        _ => None,
    };
    Ok((arguments, printed))
}

fn carry_out(Arguments { task, serve, .. }: Arguments) -> Result<(), Failed> {
    match task {
        // It was printed where the command line was read.
        Some(Task::Config(_)) => Ok(()),
        None => serve::run(&serve),
        Some(Task::Serve(flags)) => serve::run(&flags),
        Some(Task::Migrate(flags)) => database::migrate(&flags),
        Some(Task::Account(flags)) => account::run(&flags),
        Some(Task::Keys(task)) => keys::run(&task),
        Some(Task::Backup(flags)) => backup::run(&flags),
        Some(Task::Openapi) => openapi(),
        Some(Task::Score(flags)) => score::run(&flags),
        Some(Task::Audit(flags)) => audit::run(&flags),
        Some(Task::Completions(flags)) => pages::completions(&flags, Arguments::command()),
        Some(Task::Man(flags)) => pages::man(&flags, Arguments::command()),
    }
}

fn openapi() -> Result<(), Failed> {
    terminal::print(crate::http::openapi_text()?)
}
