//! Records events of the store as metrics.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::Metrics;
use estimation_store::{BatchSize, StoreObserver};

thread_local! {
    /// When this thread's writer sent its last COMMIT.
    static SENT: Cell<Option<Instant>> = const { Cell::new(None) };
}

impl StoreObserver for Metrics {
    fn taken(&self, waited: Duration) {
        self.queue.record(waited);
    }

    fn committing(&self, batch: BatchSize) {
        self.batch.record(batch.units as f64);
        SENT.set(Some(Instant::now()));
    }

    fn committed(&self, _: BatchSize) {
        if let Some(sent) = SENT.take() {
            self.commit.record(sent.elapsed());
        }
    }

    fn rerun(&self) {
        self.reruns.increment(1);
    }

    fn conflicts(&self, number: usize) {
        self.conflicts.increment(number as u64);
    }

    fn waited_to_read(&self, waited: Duration) {
        self.reader_wait.record(waited);
    }
}
