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
use std::sync::Arc;

use clap::Parser;
use tokio::task::JoinSet;

use self::crew::Crew;
use self::flags::Flags;
use self::report::Report;
use self::run::{Failed, Run};
use self::statistics::Stopwatch;

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
    let report = played(flags).await?;
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(report.is_clean())
}

/// Plays all games.
async fn played(flags: Flags) -> Result<Report, Failed> {
    let run = Arc::new(Run::new(flags)?);
    let crews = gathered(&run).await?;
    let measuring = tokio::spawn({
        let run = Arc::clone(&run);
        async move {
            let from = run.pace.started().await + run.pace.warm_up;
            if !run.pace.warm_up.is_zero() {
                tokio::time::sleep_until(from.into()).await;
                run.target.traffic.reset();
            }
            Stopwatch::started(from)
        }
    });
    let crews = each(crews, Crew::play).await?;
    let took = measuring.await?.read();
    // Verifying is not playing.
    let traffic = run.target.traffic.counts();
    if run.flags.verify {
        each(crews, Crew::verify).await?;
    }
    Ok(Report::of(&run, took, traffic))
}

/// Creates as many crews as games are played at the same time.
async fn gathered(run: &Arc<Run>) -> Result<Vec<Crew>, Failed> {
    let tables = 0..run.pace.tables;
    let mut gathering: JoinSet<_> = tables.map(|table| Crew::gather(Arc::clone(run), table)).collect();
    let mut crews = Vec::new();
    while let Some(gathered) = gathering.join_next().await {
        crews.push(gathered??);
    }
    Ok(crews)
}

/// Runs `work` for all crews concurrently, and waits for all.
async fn each<F>(crews: Vec<Crew>, work: impl Fn(Crew) -> F) -> Result<Vec<Crew>, Failed>
where
    F: Future<Output = Crew> + Send + 'static,
{
    let mut working: JoinSet<Crew> = crews.into_iter().map(work).collect();
    let mut done = Vec::new();
    while let Some(crew) = working.join_next().await {
        done.push(crew?);
    }
    Ok(done)
}
