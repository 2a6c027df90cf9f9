//! Remembers that a server did not answer recently: it is tried last, with a short timeout.
//!
//! A URL may name a server whose machine is frozen or unreachable. Without this, each new connection would
//! first wait for it, even when another server has become the primary.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a server counts as silent after it did not answer.
const REMEMBERED: Duration = Duration::from_secs(30);

/// Whether one server did not answer.
pub(super) struct Silence {
    since: Instant,
    /// Milliseconds after `since` until which the server counts as silent.
    until: AtomicU64,
}

impl Default for Silence {
    fn default() -> Self {
        Self { since: Instant::now(), until: AtomicU64::new(0) }
    }
}

impl Silence {
    /// Whether the server did not answer recently.
    pub(super) fn is_remembered(&self) -> bool {
        self.until.load(Ordering::Relaxed) > self.now()
    }

    /// Records whether the server answered.
    pub(super) fn note(&self, has_answered: bool) {
        let until = if has_answered { 0 } else { self.now() + REMEMBERED.as_millis() as u64 };
        self.until.store(until, Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        self.since.elapsed().as_millis() as u64
    }
}
