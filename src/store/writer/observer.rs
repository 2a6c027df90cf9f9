//! Watching the store: what group commit does, and who waits for what, for metrics and tests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much one transaction holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSize {
    /// Units of work, one per game and any number of others.
    pub units: usize,
    /// Events appended.
    pub events: usize,
}

/// Told about every commit and every wait, on the thread that does the work: be quick.
pub trait StoreObserver: Send + Sync + 'static {
    /// The writer has taken a unit of work that waited so long.
    fn taken(&self, waited: Duration) {
        let _ = waited;
    }

    /// COMMIT is about to be sent.
    fn committing(&self, batch: BatchSize) {
        let _ = batch;
    }

    /// The batch is durable; those who wait for it are answered next.
    fn committed(&self, batch: BatchSize) {
        let _ = batch;
    }

    /// A batch was rolled back and is run again, without the units that failed or unit by unit.
    fn rerun(&self) {}

    /// So many appends were refused because their games had moved on.
    fn conflicts(&self, number: usize) {
        let _ = number;
    }

    /// A read has waited so long for a connection.
    fn waited_to_read(&self, waited: Duration) {
        let _ = waited;
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl StoreObserver for Unobserved {}

/// What the writer has done since the database was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriterStatistics {
    /// Transactions committed.
    pub commits: u64,
    /// Units of work in them.
    pub units: u64,
    /// Events in them.
    pub events: u64,
    /// Batches that were rolled back and run again, without the units that failed or unit by unit.
    pub reruns: u64,
    /// Appends that were refused because their games had moved on.
    pub conflicts: u64,
    /// Connections opened, the first included.
    pub connections: u64,
}

/// The running totals behind [`WriterStatistics`], and how long units wait.
#[derive(Default)]
pub(in crate::store) struct Totals {
    /// When the oldest unit that the writer has in hand was handed in. What is not in its hands is younger.
    oldest: Mutex<Option<Instant>>,
    commits: AtomicU64,
    units: AtomicU64,
    events: AtomicU64,
    reruns: AtomicU64,
    conflicts: AtomicU64,
    connections: AtomicU64,
}

impl Totals {
    /// The writer has taken units, the oldest of which was handed in then; or it has answered all.
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

    pub fn read(&self) -> WriterStatistics {
        WriterStatistics {
            commits: self.commits.load(Ordering::Relaxed),
            units: self.units.load(Ordering::Relaxed),
            events: self.events.load(Ordering::Relaxed),
            reruns: self.reruns.load(Ordering::Relaxed),
            conflicts: self.conflicts.load(Ordering::Relaxed),
            connections: self.connections.load(Ordering::Relaxed),
        }
    }
}
