//! The shared state of a run.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use crate::error::DriveError;
use crate::flags::Flags;
use crate::http::Target;
use crate::ledger::Ledger;
use crate::pace::Pace;
use crate::plan::TablePlan;
use crate::statistics::Statistics;

/// Why there is no report.
pub type Failed = Box<dyn Error + Send + Sync>;

/// The maximum number of concurrent registrations.
const REGISTRATIONS: usize = 8;

/// After this many failures no more games are started.
const MAX_FAILURES: usize = 20;

/// The shared state of all tables.
pub struct Run {
    pub flags: Flags,
    pub target: Arc<Target>,
    pub games: usize,
    pub pace: Pace,
    pub statistics: Statistics,
    pub ledger: Ledger,
    /// The beginning of all usernames, unique for each run.
    pub tag: String,
    /// The password of all accounts.
    pub password: String,
    pub registrations: Semaphore,
    /// The number of games started.
    pub begun: AtomicUsize,
    /// The errors so far, as text.
    failures: Mutex<Vec<String>>,
}

impl Run {
    pub fn new(flags: Flags) -> Result<Run, Failed> {
        let target = Arc::new(Target::read(&flags.url)?);
        let games = match flags.seconds {
            // As many as fit into the time.
            Some(_) => usize::MAX,
            None => flags.tables.len().max(flags.games),
        };
        let tables = games.min(flags.concurrency as usize);
        Ok(Run {
            target,
            games,
            pace: Pace::of(flags.warm_up, flags.seconds, flags.rate, tables),
            statistics: Statistics::new()?,
            ledger: Ledger::open(flags.acknowledged.as_deref(), flags.verify)?,
            tag: format!("drive-{:08x}", rand::random::<u32>()),
            password: format!("{:032x}", rand::random::<u128>()),
            registrations: Semaphore::new(REGISTRATIONS),
            begun: AtomicUsize::new(0),
            failures: Mutex::new(Vec::new()),
            flags,
        })
    }

    /// The settings of a game by number, from 0.
    pub fn plan(&self, game: usize) -> &TablePlan {
        &self.flags.tables[game % self.flags.tables.len()]
    }

    /// The number of the next game, from 0; none when there are no more.
    pub fn next_game(&self) -> Option<usize> {
        if self.failures().len() >= MAX_FAILURES || self.pace.is_over() {
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
