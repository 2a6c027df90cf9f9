//! The `estimation` program.

use std::process::ExitCode;

/// Measured against the system's allocator under load: see docs/performance.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    estimation::cli::run()
}
