//! `arena`: see `estimation_tools::arena`.

use std::process::ExitCode;

use clap::Parser;
use estimation_tools::arena::{ArenaFlags, run};

/// Let bots play each other in memory, and compare their levels.
#[derive(Parser)]
#[command(name = "arena", version, about)]
struct Arguments {
    #[command(flatten)]
    flags: ArenaFlags,
}

fn main() -> ExitCode {
    estimation_audit::terminal::finish("arena", run(&Arguments::parse().flags))
}
