//! The public log of a service: watching it grow, and offline proofs of games.

mod audit;
mod client;
mod compare;
mod entries;
mod games;
mod opened;
mod outcome;
mod promise;
mod signatures;
mod state;
mod times;
mod verify;
mod watch;
mod whole;

use std::process::ExitCode;

use clap::Subcommand;

pub(crate) use self::audit::{audit, check_promises};
pub(crate) use self::client::Client;
pub(crate) use self::opened::OpenedEntry;
pub use self::outcome::Findings;
pub use self::verify::VerifyFlags;
pub use self::watch::WatchFlags;
pub(crate) use self::whole::{LogSummary, read};

/// What to do with the public log of a service.
#[derive(Clone, Debug, Subcommand)]
pub enum LogCommand {
    /// Compare a service's public log with the checkpoint that was kept, and keep the new one.
    Watch(Box<WatchFlags>),
    /// Verify a bundle: the history of a game, and that the public log has its start and its end. Needs no network.
    Verify(VerifyFlags),
}

/// Runs a command, prints the findings, and returns their exit status.
pub fn run(command: &LogCommand) -> ExitCode {
    check(command).finish()
}

/// Runs a command.
pub fn check(command: &LogCommand) -> Findings {
    let checked = match command {
        LogCommand::Watch(flags) => watch::watch(flags),
        LogCommand::Verify(flags) => verify::verify(flags),
    };
    checked.unwrap_or_else(Findings::from)
}
