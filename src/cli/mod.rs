//! The command line: every flag is also an environment variable `ESTIMATION_…`.

mod access;
mod account;
mod audit;
mod backup;
mod check;
mod configuration;
mod connections;
mod database;
mod games;
mod keys;
mod log;
mod manifest;
mod notifications;
mod pages;
mod people;
mod reload;
mod reports;
mod score;
mod serve;
mod sign_in;
mod telemetry;
mod traces;
mod values;
mod webhooks;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use estimation_audit::NotSound;
use estimation_command::Failed;
use estimation_command::terminal::{self, finish};

use self::account::AccountFlags;
use self::backup::BackupFlags;
use self::configuration::Configuration;
use self::database::DataFlags;
use self::games::GamesTask;
use self::keys::KeysTask;
use self::log::LogTask;
use self::pages::{CompletionsFlags, ManFlags};
use self::reports::ReportsTask;
use self::score::ScoreFlags;
use self::serve::ServeFlags;
use self::webhooks::WebhooksTask;

/// The server that Estimation card-game apps build on.
#[derive(Parser)]
#[command(name = "estimation", version = terminal::version(env!("CARGO_PKG_VERSION")), about, args_conflicts_with_subcommands = true)]
struct Arguments {
    /// TOML file with settings; its keys are the names of the flags. Flags override the environment, which overrides the
    /// file.
    #[arg(long, env = "ESTIMATION_CONFIG", value_name = "FILE", global = true)]
    config: Option<std::path::PathBuf>,
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    serve: ServeFlags,
}

#[derive(Subcommand)]
enum Task {
    /// Run the server (the default without a subcommand).
    Serve(ServeFlags),
    /// Print the settings in effect, without secrets.
    Config(ServeFlags),
    /// Check the settings and what they depend on, before the first start or in doubt: says what is wrong, why it matters and
    /// what to do. Changes nothing. The exit status is 1 if something is wrong.
    Check(check::Flags),
    /// Apply the database migrations and exit.
    Migrate(DataFlags),
    /// Copy an SQLite database, which may be in use.
    Backup(BackupFlags),
    /// Print the OpenAPI document.
    Openapi {
        /// Print its closed form, for tests: answers have no unknown members, and known values only.
        #[arg(long)]
        closed: bool,
    },
    /// Manage accounts.
    Account(AccountFlags),
    /// Manage the keys.
    #[command(subcommand)]
    Keys(KeysTask),
    /// Manage the games.
    #[command(subcommand)]
    Games(GamesTask),
    /// Manage the public log.
    #[command(subcommand)]
    Log(LogTask),
    /// Manage the webhooks that failed.
    #[command(subcommand)]
    Webhooks(WebhooksTask),
    /// Manage reports of players, and appeals.
    #[command(subcommand)]
    Reports(ReportsTask),
    /// Print the score sheet of rounds played with real cards.
    Score(ScoreFlags),
    /// Verify the games in files, of a server, or in a database.
    Audit(audit::Flags),
    /// Print the completions for a shell.
    Completions(CompletionsFlags),
    /// Print the manual page, or write one for each subcommand into a directory.
    Man(ManFlags),
}

/// Runs the command line of the process.
pub fn run() -> ExitCode {
    let done = parsed().and_then(|(arguments, printed)| match printed {
        Some(printed) => terminal::print(printed),
        None => carry_out(arguments),
    });
    finish("estimation", done, NotSound::exit_code)
}

/// The command line with the settings of the configuration file. For `config` also the text to print.
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
        // `run` has printed it.
        Some(Task::Config(_)) => Ok(()),
        None => serve::run(&serve),
        Some(Task::Serve(flags)) => serve::run(&flags),
        Some(Task::Check(flags)) => check::run(&flags),
        Some(Task::Migrate(flags)) => database::migrate(&flags),
        Some(Task::Account(flags)) => account::run(&flags),
        Some(Task::Keys(task)) => keys::run(&task),
        Some(Task::Games(task)) => games::run(&task),
        Some(Task::Log(task)) => log::run(&task),
        Some(Task::Webhooks(task)) => webhooks::run(&task),
        Some(Task::Reports(task)) => reports::run(&task),
        Some(Task::Backup(flags)) => backup::run(&flags),
        Some(Task::Openapi { closed }) => openapi(closed),
        Some(Task::Score(flags)) => score::run(&flags),
        Some(Task::Audit(flags)) => audit::run(&flags),
        Some(Task::Completions(flags)) => pages::completions(&flags, Arguments::command()),
        Some(Task::Man(flags)) => pages::man(&flags, Arguments::command()),
    }
}

fn openapi(closed: bool) -> Result<(), Failed> {
    let spec = crate::http::openapi()?;
    terminal::print(if closed {
        crate::http::closed(&spec).to_string()
    } else {
        crate::http::openapi_text(&spec)
    })
}
