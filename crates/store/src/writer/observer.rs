//! The store's observer and statistics: group commits and waiting times, for metrics and tests.

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

    /// Between two batches, the writer moved the rest of SQLite's write-ahead log into the database file: so many pages.
    fn moved_rest(&self, pages: usize, took: Duration) {
        let _ = (pages, took);
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

/// Totals of the writer since the database was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriterStatistics {
    /// Transactions committed.
    pub commits: u64,
    /// Units of work in them.
    pub units: u64,
    /// Events in them.
    pub events: u64,
    /// Batches that were rolled back and run again.
    pub reruns: u64,
    /// Stale appends.
    pub conflicts: u64,
    /// Connections opened, including the first.
    pub connections: u64,
    /// How often SQLite's write-ahead log could begin again, after the writer had moved its rest.
    pub log_restarts: u64,
    /// Pages that the writer moved.
    pub log_pages_moved: u64,
}

/// The running totals behind [`WriterStatistics`], and the oldest unit in work.
pub(crate) struct Totals {
    opened: Instant,
    /// When events were last committed, in milliseconds since `opened`.
    last_append: AtomicU64,
    /// When the oldest unit in the writer's current batch was queued. Units still in the queue are younger.
    oldest: Mutex<Option<Instant>>,
    commits: AtomicU64,
    units: AtomicU64,
    events: AtomicU64,
    reruns: AtomicU64,
    conflicts: AtomicU64,
    connections: AtomicU64,
    log_restarts: AtomicU64,
    log_pages_moved: AtomicU64,
}

impl Default for Totals {
    fn default() -> Self {
        Self {
            opened: Instant::now(),
            last_append: AtomicU64::default(),
            oldest: Mutex::default(),
            commits: AtomicU64::default(),
            units: AtomicU64::default(),
            events: AtomicU64::default(),
            reruns: AtomicU64::default(),
            conflicts: AtomicU64::default(),
            connections: AtomicU64::default(),
            log_restarts: AtomicU64::default(),
            log_pages_moved: AtomicU64::default(),
        }
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

    pub fn committed(&self, batch: BatchSize) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.units.fetch_add(batch.units as u64, Ordering::Relaxed);
        self.events.fetch_add(batch.events as u64, Ordering::Relaxed);
        if batch.events > 0 {
            self.last_append.store(self.opened.elapsed().as_millis() as u64, Ordering::Relaxed);
        }
    }

    pub fn since_last_append(&self) -> Duration {
        let last = Duration::from_millis(self.last_append.load(Ordering::Relaxed));
        self.opened.elapsed().saturating_sub(last)
    }

    pub fn rerun(&self) {
        self.reruns.fetch_add(1, Ordering::Relaxed);
    }

    pub fn conflicts(&self, number: usize) {
        self.conflicts.fetch_add(number as u64, Ordering::Relaxed);
    }

    pub fn connected(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    pub fn moved_rest(&self, pages: usize, complete: bool) {
        self.log_restarts.fetch_add(u64::from(complete), Ordering::Relaxed);
        self.log_pages_moved.fetch_add(pages as u64, Ordering::Relaxed);
    }

    pub fn read(&self) -> WriterStatistics {
        WriterStatistics {
            commits: self.commits.load(Ordering::Relaxed),
            units: self.units.load(Ordering::Relaxed),
            events: self.events.load(Ordering::Relaxed),
            reruns: self.reruns.load(Ordering::Relaxed),
            conflicts: self.conflicts.load(Ordering::Relaxed),
            connections: self.connections.load(Ordering::Relaxed),
            log_restarts: self.log_restarts.load(Ordering::Relaxed),
            log_pages_moved: self.log_pages_moved.load(Ordering::Relaxed),
        }
    }
}
