//! The store's observer: group commits and waiting times.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The size of one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSize {
    /// Units of work, at most one append per game.
    pub units: usize,
    /// Events appended.
    pub events: usize,
}

/// Receives every commit and every wait, on the thread that does the work. Implementations must be quick.
pub trait StoreObserver: Send + Sync + 'static {
    /// The writer took a unit of work that had waited this long.
    fn taken(&self, waited: Duration) {
        let _ = waited;
    }

    /// COMMIT is about to be sent.
    fn committing(&self, batch: BatchSize) {
        let _ = batch;
    }

    /// The batch is durable. Its callers are answered next.
    fn committed(&self, batch: BatchSize) {
        let _ = batch;
    }

    /// A batch was rolled back and runs again, without the failed units or unit by unit.
    fn rerun(&self) {}

    /// This many appends were stale.
    fn conflicts(&self, number: usize) {
        let _ = number;
    }

    /// A read waited this long for a connection.
    fn waited_to_read(&self, waited: Duration) {
        let _ = waited;
    }
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl StoreObserver for Unobserved {}

/// What the writer works on, and when it last appended.
pub(crate) struct Totals {
    opened: Instant,
    /// When events were last committed, in milliseconds since `opened`.
    last_append: AtomicU64,
    /// When the oldest unit in the writer's current batch was queued. Units still in the queue are younger.
    oldest: Mutex<Option<Instant>>,
}

impl Default for Totals {
    fn default() -> Self {
        Self { opened: Instant::now(), last_append: AtomicU64::default(), oldest: Mutex::default() }
    }
}

impl Totals {
    /// Sets the queue time of the oldest unit in work; none when all are answered.
    pub fn working_since(&self, oldest: Option<Instant>) {
        *self.oldest.lock().unwrap_or_else(PoisonError::into_inner) = oldest;
    }

    pub fn longest_wait(&self) -> Duration {
        let oldest = *self.oldest.lock().unwrap_or_else(PoisonError::into_inner);
        oldest.map(|queued| queued.elapsed()).unwrap_or_default()
    }

    pub fn appended(&self) {
        self.last_append.store(self.opened.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    pub fn since_last_append(&self) -> Duration {
        let last = Duration::from_millis(self.last_append.load(Ordering::Relaxed));
        self.opened.elapsed().saturating_sub(last)
    }
}
