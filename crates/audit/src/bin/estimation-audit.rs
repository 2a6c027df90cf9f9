//! The `estimation-audit` program.

use std::process::ExitCode;

use clap::Parser;
use estimation_audit::terminal::finish;
use estimation_audit::{AuditFlags, run};

/// Verify histories of Estimation games: of files or of a service.
#[derive(Parser)]
#[command(name = "estimation-audit", version, about)]
struct Arguments {
    #[command(flatten)]
    flags: AuditFlags,
}

fn main() -> ExitCode {
    finish("estimation-audit", run(&Arguments::parse().flags))
}
