//! `drive`: see `estimation_tools::drive`.

use std::process::ExitCode;

use clap::Parser;
use estimation_tools::drive::{DriveFlags, run};

/// Play whole games as HTTP clients against a service, and measure it.
#[derive(Parser)]
#[command(name = "drive", version, about)]
struct Arguments {
    #[command(flatten)]
    flags: DriveFlags,
}

fn main() -> ExitCode {
    estimation_audit::terminal::finish("drive", run(&Arguments::parse().flags))
}
