//! Plays whole games as HTTP clients, and measures the service.
//!
//! It uses only the public contract, and no code of the server: each player is a client with its own account, token and
//! connection, sees only its own view, and posts commands from `legal`.

mod choice;
mod crew;
mod error;
mod flags;
mod foresight;
mod http;
mod ledger;
mod pace;
mod plan;
mod player;
mod probe;
mod report;
mod run;
mod statistics;
mod stream;
mod table;
mod turn;
mod verify;
mod view;

use std::process::ExitCode;

use clap::Parser;

use self::flags::Flags;
use self::run::Failed;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match drive(Flags::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("drive: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Plays, and prints the report as JSON. Returns whether every game went as it should.
async fn drive(flags: Flags) -> Result<bool, Failed> {
    let report = run::played(flags).await?;
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(report.is_clean())
}
