//! The `estimation-audit` program.

use std::process::ExitCode;

use clap::Parser;
use estimation_audit::log::{self, LogCommand};
use estimation_audit::{AuditFlags, NotSound, run};
use estimation_command::terminal::{self, finish};

/// Verify histories of Estimation games: of files or of a service.
#[derive(Parser)]
#[command(name = "estimation-audit", version = terminal::version(env!("CARGO_PKG_VERSION")), about, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    log: Option<LogCommand>,

    #[command(flatten)]
    flags: AuditFlags,
}

fn main() -> ExitCode {
    let Arguments { log, flags } = Arguments::parse();
    match log {
        Some(command) => log::run(&command),
        None => finish("estimation-audit", run(&flags), NotSound::exit_code),
    }
}
