//! A run: its shared state, its crews, and its report.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::crew::{Crew, Names};
use crate::error::DriveError;
use crate::flags::Flags;
use crate::http::{Call, Client, Target};
use crate::ledger::Ledger;
use crate::pace::Pace;
use crate::plan::{Offer, Plan};
use crate::player::ask_openly;
use crate::report::Report;
use crate::statistics::{Statistics, Stopwatch};

/// Why there is no report.
pub type Failed = Box<dyn Error + Send + Sync>;

/// The maximum number of concurrent registrations.
const REGISTRATIONS: usize = 8;

/// After this many failures no more games are started.
const MOST_FAILURES: usize = 20;

/// The shared state of all tables.
pub struct Run {
    pub flags: Flags,
    pub target: Arc<Target>,
    pub plan: Plan,
    pub games: usize,
    pub pace: Pace,
    pub statistics: Statistics,
    pub ledger: Ledger,
    /// The number of games started.
    pub begun: AtomicUsize,
    /// The errors so far, as text.
    failures: Mutex<Vec<String>>,
}

impl Run {
    async fn new(flags: Flags) -> Result<Run, Failed> {
        let target = Arc::new(Target::read(&flags.url)?);
        let base = flags.table();
        if flags.revoke_rate > 0.0 && !flags.options && !base.penalises_revokes() {
            return Err("revokes are played only where they are penalised: --option revokes=penalise".into());
        }
        let plan = match flags.options {
            true => Plan::pairs(&base, &offer(&target, &flags).await?),
            false => Plan::same(base),
        };
        let games = match flags.seconds {
            // As many as fit into the time.
            Some(_) => usize::MAX,
            None => plan.least().max(flags.games),
        };
        let tables = games.min(flags.concurrency as usize);
        Ok(Run {
            target,
            plan,
            games,
            pace: Pace::of(flags.warm_up, flags.seconds, flags.rate, tables),
            statistics: Statistics::new()?,
            ledger: Ledger::open(flags.acknowledged.as_deref(), flags.verify)?,
            begun: AtomicUsize::new(0),
            failures: Mutex::new(Vec::new()),
            flags,
        })
    }

    /// The number of the next game, from 0; none when there are no more.
    pub fn next_game(&self) -> Option<usize> {
        if self.failures().len() >= MOST_FAILURES || self.pace.is_over() {
            return None;
        }
        let game = self.begun.fetch_add(1, Ordering::Relaxed);
        (game < self.games).then_some(game)
    }

    /// Reports an error and keeps it.
    pub fn failed(&self, what: &str, error: &DriveError) {
        let text = format!("{what}: {error}");
        eprintln!("{text}");
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// The errors so far.
    pub fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Plays all games.
pub async fn played(flags: Flags) -> Result<Report, Failed> {
    let run = Arc::new(Run::new(flags).await?);
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

/// Reads the published ruleset.
async fn offer(target: &Arc<Target>, flags: &Flags) -> Result<Offer, DriveError> {
    let call = Call::get(format!("/v1/rulesets/{}", flags.ruleset));
    let answer = ask_openly(&mut Client::new(target), &call, flags.patience).await?;
    if answer.status == 200 { answer.read() } else { Err(DriveError::unexpected(&answer)) }
}

/// Creates as many crews as games are played at the same time.
async fn gathered(run: &Arc<Run>) -> Result<Vec<Crew>, Failed> {
    let (tag, password) = (rand::random::<u32>(), rand::random::<u128>());
    let registrations = Arc::new(Semaphore::new(REGISTRATIONS));
    let mut gathering = JoinSet::new();
    for crew in 0..run.pace.tables {
        let names = Names { tag: format!("{tag:08x}"), password: format!("{password:032x}"), crew };
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
