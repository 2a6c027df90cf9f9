//! `drive`: plays whole games as HTTP clients, and measures the service.
//!
//! It uses only the public contract: each player is a client with its own account, token and connection, sees
//! only its own view, and posts commands from `legal`.

mod choice;
mod crew;
mod flags;
mod followers;
mod foresight;
mod ledger;
mod listener;
mod pace;
mod patience;
mod plan;
mod player;
mod probe;
mod report;
mod run;
mod scene;
mod sheet;
mod statistics;
mod table;
mod trouble;
mod turn;
mod verify;
mod wire;

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use self::crew::{Crew, Names};
use self::ledger::Ledger;
use self::pace::Pace;
use self::plan::{Offer, Plan};
use self::player::ask_openly;
use self::report::Report;
use self::run::Run;
use self::statistics::{Statistics, Stopwatch};
use self::trouble::DriveError;
use crate::http::{Call, Client, Target};
use estimation_audit::{Failed, terminal};

pub use self::flags::DriveFlags;

/// The maximum number of concurrent registrations.
const REGISTRATIONS: usize = 8;

pub fn run(flags: &DriveFlags) -> Result<(), Failed> {
    let report = runtime(flags.threads)?.block_on(drive(flags))?;
    if flags.json {
        terminal::print_line(serde_json::to_string_pretty(&report)?)?;
    } else {
        terminal::print(report.text())?;
    }
    if report.is_clean() { Ok(()) } else { Err("the drive did not go as it should".into()) }
}

fn runtime(threads: u16) -> std::io::Result<Runtime> {
    match threads {
        1 => Builder::new_current_thread().enable_all().build(),
        threads => Builder::new_multi_thread().worker_threads(threads.into()).enable_all().build(),
    }
}

async fn drive(flags: &DriveFlags) -> Result<Report, Failed> {
    let run = Arc::new(prepared(flags).await?);
    let mut crews = gathered(flags, &run).await?;
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
    crews = each(crews, Crew::play).await?;
    let took = measuring.await?.read();
    // Verifying is not playing.
    let traffic = run.target.traffic.counts();
    if flags.verify {
        crews = each(crews, Crew::verify).await?;
    }
    run.progress.finish_and_clear();
    let scores = match crews.first_mut() {
        Some(crew) if run.games == 1 => crew.sheet().await?,
        _ => None,
    };
    Ok(Report::of(&run, took, traffic, scores))
}

async fn prepared(flags: &DriveFlags) -> Result<Run, Failed> {
    let target = Arc::new(Target::read(&flags.url)?);
    let base = flags.table();
    if flags.revoke_rate > 0.0 && !flags.options && !base.penalises_revokes() {
        return Err("revokes are played only where they are penalised: --option revokes=penalise".into());
    }
    let plan = if flags.options {
        let offer = offer(&target, flags).await?;
        Plan::pairs(base, offer, flags.seed)
    } else {
        Plan::Same(base)
    };
    let games = match flags.length() {
        // As many as fit into the time.
        Some(_) => usize::MAX,
        None => plan.least().max(flags.games as usize),
    };
    Ok(Run {
        target,
        plan,
        games,
        pace: Pace::of(flags.warm_up(), flags.length(), flags.rate, tables(flags, games)),
        statistics: Statistics::new()?,
        ledger: Ledger::open(flags.acknowledged.as_deref(), flags.verify)?,
        progress: terminal::progress(flags.length().map_or(games as u64, |_| u64::from(flags.games))),
        begun: AtomicUsize::new(0),
        failures: Mutex::new(Vec::new()),
        flags: flags.clone(),
    })
}

/// Reads the published ruleset.
async fn offer(target: &Arc<Target>, flags: &DriveFlags) -> Result<Offer, Failed> {
    let call = Call::get(format!("/v1/rulesets/{}", flags.ruleset));
    let answer = ask_openly(&mut Client::new(target), &call, flags.patience()).await?;
    if answer.status != 200 {
        return Err(DriveError::unexpected(&answer).into());
    }
    Ok(serde_json::from_slice(&answer.body)?)
}

#[expect(clippy::disallowed_methods, reason = "names and passwords of a run are new ones")]
fn random<const N: usize>() -> Result<[u8; N], Failed> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| format!("the operating system gives no entropy: {error}"))?;
    Ok(bytes)
}

/// The number of games that are played at the same time.
fn tables(flags: &DriveFlags, games: usize) -> usize {
    games.min(usize::try_from(flags.concurrency).unwrap_or(usize::MAX))
}

/// Creates as many crews as games are played at the same time.
async fn gathered(flags: &DriveFlags, run: &Arc<Run>) -> Result<Vec<Crew>, Failed> {
    let tag = hex::encode(random::<4>()?);
    let password = hex::encode(random::<16>()?);
    let registrations = Arc::new(Semaphore::new(REGISTRATIONS));
    let mut gathering = JoinSet::new();
    for crew in 0..tables(flags, run.games) {
        let names = Names { tag: tag.clone(), password: password.clone(), crew };
        gathering.spawn(Crew::gather(Arc::clone(run), names, Arc::clone(&registrations)));
    }
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
