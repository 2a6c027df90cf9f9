//! A run: what all tables have in common, and what is left to play.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::client::Target;
use super::ledger::Ledger;
use super::pace::Pace;
use super::plan::Plan;
use super::progress::Progress;
use super::statistics::Statistics;
use super::trouble::Trouble;

/// After so many failures no more games are begun.
const MOST_FAILURES: usize = 20;

/// What all tables have in common.
pub(super) struct Run {
    pub(super) target: Arc<Target>,
    pub(super) plan: Plan,
    pub(super) seed: u64,
    pub(super) games: usize,
    pub(super) revoke_rate: f64,
    pub(super) sample_refusals: bool,
    pub(super) patience: Duration,
    pub(super) pace: Pace,
    /// How many streams are open for each game.
    pub(super) streams: u8,
    /// How many more reads are sent with every hundred commands.
    pub(super) reads: u32,
    /// Whether cards are played from hands that are known.
    pub(super) foresee: bool,
    pub(super) statistics: Arc<Statistics>,
    pub(super) ledger: Ledger,
    pub(super) progress: Progress,
    /// How many games have been begun.
    pub(super) begun: AtomicUsize,
    /// What went wrong, as it is told.
    pub(super) failures: Mutex<Vec<String>>,
}

impl Run {
    /// The number of the next game to play, from 0; none when there are no more.
    pub(super) fn next_game(&self) -> Option<usize> {
        if self.failures().len() >= MOST_FAILURES || self.pace.is_over() {
            return None;
        }
        let game = self.begun.fetch_add(1, Ordering::Relaxed);
        (game < self.games).then_some(game)
    }

    /// Tells what went wrong, and remembers it.
    pub(super) fn failed(&self, what: &str, trouble: &Trouble) {
        let text = format!("{what}: {trouble}");
        self.progress.say(&text);
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// What went wrong so far.
    pub(super) fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
