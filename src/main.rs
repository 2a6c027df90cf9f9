//! The `estimation` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    estimation::cli::run()
}
