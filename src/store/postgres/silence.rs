//! Remembers servers that did not answer recently: they are tried last, with a short timeout.
//!
//! A URL may name a server whose machine is frozen or unreachable. Without this, each new connection would
//! first wait for it, even when another server has become the primary.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a server counts as silent after it did not answer.
const REMEMBERED: Duration = Duration::from_secs(30);

/// The number of servers of a URL that are tracked. Further ones never count as silent.
const KNOWN: usize = 16;

/// The silent servers of a URL, by index.
pub(super) struct Silence {
    since: Instant,
    /// Milliseconds after `since` until which a server counts as silent.
    until: [AtomicU64; KNOWN],
}

impl Default for Silence {
    fn default() -> Self {
        Self { since: Instant::now(), until: std::array::from_fn(|_| AtomicU64::new(0)) }
    }
}

impl Silence {
    /// Whether a server did not answer recently.
    pub(super) fn covers(&self, server: usize) -> bool {
        self.until.get(server).is_some_and(|until| until.load(Ordering::Relaxed) > self.now())
    }

    /// Records whether a server answered.
    pub(super) fn note(&self, server: usize, has_answered: bool) {
        let until = if has_answered { 0 } else { self.now() + REMEMBERED.as_millis() as u64 };
        if let Some(known) = self.until.get(server) {
            known.store(until, Ordering::Relaxed);
        }
    }

    fn now(&self) -> u64 {
        self.since.elapsed().as_millis() as u64
    }
}
