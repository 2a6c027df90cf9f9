//! The shared state of a run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::ProgressBar;

use super::flags::DriveFlags;
use super::ledger::Ledger;
use super::pace::Pace;
use super::plan::Plan;
use super::statistics::Statistics;
use super::trouble::DriveError;
use crate::http::Target;
use estimation_audit::terminal;

/// After this many failures no more games are started.
const MOST_FAILURES: usize = 20;

/// The number of commands between two updates of the progress bar.
const EVERY: u64 = 256;

/// The shared state of all tables.
pub(super) struct Run {
    pub(super) flags: DriveFlags,
    pub(super) target: Arc<Target>,
    pub(super) plan: Plan,
    pub(super) games: usize,
    pub(super) pace: Pace,
    pub(super) statistics: Statistics,
    pub(super) ledger: Ledger,
    /// A bar on the standard error if that is a terminal.
    pub(super) progress: ProgressBar,
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
        self.progress.suspend(|| terminal::print_error(&text));
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// Shows the number of accepted commands, at intervals.
    pub(super) fn show_progress(&self, commands: u64) {
        if commands.is_multiple_of(EVERY) && !self.progress.is_hidden() {
            let seconds = self.progress.elapsed().as_secs_f64().max(1e-3);
            self.progress.set_message(format!("{commands} commands, {:.0}/s", commands as f64 / seconds));
        }
    }

    /// The errors so far.
    pub(super) fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
