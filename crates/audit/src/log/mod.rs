//! The public log of a service: watching it grow, and offline proofs of games.

mod client;
mod compare;
mod outcome;
mod proof;
mod signatures;
mod state;
mod watch;

use std::process::ExitCode;

use clap::Subcommand;

pub use self::proof::ProofFlags;
pub use self::watch::WatchFlags;

use self::outcome::finish;

/// What to do with the public log of a service.
#[derive(Clone, Debug, Subcommand)]
pub enum LogCommand {
    /// Compare a service's public log with the checkpoint that was kept, and keep the new one.
    Watch(WatchFlags),
    /// Verify a history with its proof that the public log has the end of the game. Needs no network.
    Verify(ProofFlags),
}

/// Runs a command. Exit status: 0 if all is well, 1 if the log or the history was tampered with, 3 if that could
/// not be checked.
pub fn run(command: &LogCommand) -> ExitCode {
    match command {
        LogCommand::Watch(flags) => finish(watch::watch(flags)),
        LogCommand::Verify(flags) => finish(proof::verify(flags)),
    }
}
