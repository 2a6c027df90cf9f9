//! The shared state of a run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::ledger::Ledger;
use super::pace::Pace;
use super::plan::Plan;
use super::progress::Progress;
use super::request::Target;
use super::statistics::Statistics;
use super::trouble::DriveError;

/// After this many failures no more games are started.
const MOST_FAILURES: usize = 20;

/// The shared state of all tables.
pub(super) struct Run {
    pub(super) target: Arc<Target>,
    pub(super) plan: Plan,
    pub(super) seed: u64,
    pub(super) games: usize,
    pub(super) revoke_rate: f64,
    pub(super) sample_refusals: bool,
    pub(super) patience: Duration,
    pub(super) pace: Pace,
    /// The number of streams per game.
    pub(super) streams: u8,
    /// The number of extra reads per hundred commands.
    pub(super) reads: u32,
    /// Whether to play cards from known hands.
    pub(super) foresee: bool,
    pub(super) statistics: Arc<Statistics>,
    pub(super) ledger: Ledger,
    pub(super) progress: Progress,
    /// The number of games started.
    pub(super) begun: AtomicUsize,
    /// The errors so far, as text.
    pub(super) failures: Mutex<Vec<String>>,
}

impl Run {
    /// The number of the next game, from 0; none when there are no more.
    pub(super) fn next_game(&self) -> Option<usize> {
        if self.failures().len() >= MOST_FAILURES || self.pace.is_over() {
            return None;
        }
        let game = self.begun.fetch_add(1, Ordering::Relaxed);
        (game < self.games).then_some(game)
    }

    /// Reports an error and keeps it.
    pub(super) fn failed(&self, what: &str, trouble: &DriveError) {
        let text = format!("{what}: {trouble}");
        self.progress.say(&text);
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// The errors so far.
    pub(super) fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
