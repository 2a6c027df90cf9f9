//! The progress bar for terminals.

use indicatif::{ProgressBar, ProgressStyle};

use super::statistics::Statistics;
use estimation_audit::{Failed, terminal};

/// The number of commands between two updates of the bar.
const EVERY: u64 = 256;

/// A bar on the standard error if that is a terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn of(games: u64) -> Result<Progress, Failed> {
        let style = "{elapsed_precise} [{bar:40}] {pos}/{len} games {msg}";
        let bar =
            ProgressBar::new(games).with_style(ProgressStyle::with_template(style)?.progress_chars("=> "));
        Ok(Progress(bar))
    }

    /// Counts a finished game.
    pub(super) fn game(&self) {
        self.0.inc(1);
    }

    /// Called after each accepted command. Updates the rate at intervals.
    pub(super) fn commands(&self, statistics: &Statistics) {
        if self.0.is_hidden() {
            return;
        }
        let commands = statistics.counts().accepted();
        if commands.is_multiple_of(EVERY) {
            let seconds = self.0.elapsed().as_secs_f64().max(1e-3);
            self.0.set_message(format!("{commands} commands, {:.0}/s", commands as f64 / seconds));
        }
    }

    /// Prints a line above the bar.
    pub(super) fn say(&self, text: &str) {
        self.0.suspend(|| terminal::print_error(text));
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
