//! Remembers that a server did not answer recently: it is tried last, with a short timeout.
//!
//! A URL may name a server whose machine is frozen or unreachable. Without this, each new connection would
//! first wait for it, even when another server has become the primary.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a server counts as silent after it did not answer.
const REMEMBERED: Duration = Duration::from_secs(30);

/// When one server last did not answer; none after it answered.
#[derive(Default)]
pub(crate) struct Silence(Mutex<Option<Instant>>);

impl Silence {
    /// Whether the server did not answer recently.
    pub(crate) fn is_remembered(&self) -> bool {
        self.since().is_some_and(|since| since.elapsed() < REMEMBERED)
    }

    /// Records whether the server answered.
    pub(crate) fn note(&self, has_answered: bool) {
        *self.since() = (!has_answered).then(Instant::now);
    }

    fn since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
