//! The progress bar, for a person at a terminal.

use indicatif::{ProgressBar, ProgressStyle};

use super::statistics::Statistics;
use estimation_audit::{Failed, terminal};

/// How many commands pass between two looks at the bar.
const EVERY: u64 = 256;

/// A bar on the standard error if that is a terminal, and nothing otherwise.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn of(games: u64) -> Result<Progress, Failed> {
        let style = "{elapsed_precise} [{bar:40}] {pos}/{len} games {msg}";
        let bar =
            ProgressBar::new(games).with_style(ProgressStyle::with_template(style)?.progress_chars("=> "));
        Ok(Progress(bar))
    }

    /// A game is over.
    pub(super) fn game(&self) {
        self.0.inc(1);
    }

    /// A command was accepted; says now and then how fast they are.
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

    /// Says something without breaking the bar.
    pub(super) fn say(&self, text: &str) {
        self.0.suspend(|| terminal::print_error(text));
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
