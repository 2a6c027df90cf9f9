//! The command line: every flag is also an environment variable `ESTIMATION_…`.

mod access;
mod account;
mod arena;
mod audit;
mod backup;
mod configuration;
mod connections;
mod database;
mod drive;
mod https;
mod keys;
mod output;
mod pages;
mod score;
mod serve;
mod share;
mod telemetry;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use self::account::AccountFlags;
use self::arena::ArenaFlags;
use self::audit::AuditFlags;
use self::backup::BackupFlags;
use self::configuration::Configuration;
use self::database::DataFlags;
use self::drive::DriveFlags;
use self::keys::KeysTask;
use self::pages::{CompletionsFlags, ManFlags};
use self::score::ScoreFlags;
use self::serve::ServeFlags;

/// The exit status of a program that SIGPIPE has ended, as shells give it.
const CLOSED_PIPE: u8 = 128 + 13;

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
    /// Play whole games as HTTP clients against a service, and measure it.
    Drive(Box<DriveFlags>),
    /// Have bots play each other in memory, and count who wins.
    Arena(ArenaFlags),
    /// Score rounds that were played with real cards.
    Score(ScoreFlags),
    /// Verify histories: of files, of a service, or of a database.
    Audit(AuditFlags),
    /// Print the completions for a shell.
    Completions(CompletionsFlags),
    /// Print the manual page, or write one for each subcommand into a directory.
    Man(ManFlags),
}

/// Runs the command line of the process.
pub fn run() -> ExitCode {
    match parsed() {
        Ok((_, Some(printed))) => ended(output::print(printed)),
        Ok((arguments, None)) => carry_out(arguments),
        Err(error) => ended(Err(error)),
    }
}

/// What the process says it has come to.
fn ended(done: Result<(), Failed>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<output::ClosedPipe>() => ExitCode::from(CLOSED_PIPE),
        Err(error) => {
            output::print_error(format_args!("estimation: {error}"));
            ExitCode::FAILURE
        }
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

fn carry_out(Arguments { task, serve, .. }: Arguments) -> ExitCode {
    let done = match task {
        // It was printed where the command line was read.
        Some(Task::Config(_)) => Ok(()),
        None => serve::run(&serve),
        Some(Task::Serve(flags)) => serve::run(&flags),
        Some(Task::Migrate(flags)) => database::migrate(&flags),
        Some(Task::Account(flags)) => account::run(&flags),
        Some(Task::Keys(task)) => keys::run(&task),
        Some(Task::Backup(flags)) => backup::run(&flags),
        Some(Task::Openapi) => openapi(),
        Some(Task::Drive(flags)) => drive::run(&flags),
        Some(Task::Arena(flags)) => arena::run(&flags),
        Some(Task::Score(flags)) => score::run(&flags),
        Some(Task::Audit(flags)) => audit::run(&flags),
        Some(Task::Completions(flags)) => pages::completions(&flags, Arguments::command()),
        Some(Task::Man(flags)) => pages::man(&flags, Arguments::command()),
    };
    ended(done)
}

/// What went wrong, for a person to read.
type Failed = Box<dyn std::error::Error + Send + Sync>;

fn openapi() -> Result<(), Failed> {
    output::print(crate::http::openapi_text()?)
}
