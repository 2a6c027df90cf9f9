//! A small fixed pool of threads for hashing passwords. Addresses take turns.
//!
//! A hash takes 19 MiB, and the allocator keeps that memory per thread that has ever hashed. A general thread
//! pool would retain it for dozens of threads.

mod fair_queue;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::oneshot;

use self::fair_queue::{FairQueue, Job, Source};
use super::passwords::{Cost, HashError};
use super::throttle::{Throttle, rate_limit_prefix};
use crate::base::failure::Failure;
use estimation_store::attempts::Attempt;

/// Concurrent hashes; each takes a core and 19 MiB.
const THREADS: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Undone {
    Overloaded,
    Panicked,
}

/// The thread pool. Dropping this ends the threads.
struct Hashing(Arc<Queue>);

struct Queue {
    lines: Mutex<FairQueue>,
    ready: Condvar,
}

impl Hashing {
    fn on(threads: usize) -> Hashing {
        let queue = Arc::new(Queue { lines: Mutex::default(), ready: Condvar::new() });
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            let started = thread::Builder::new().name("hashing".to_owned()).spawn(move || queue.work());
            if let Err(error) = started {
                tracing::error!(%error, "cannot start a thread for password hashing");
            }
        }
        Hashing(queue)
    }

    fn waiting(&self) -> usize {
        self.0.lines().waiting
    }

    /// Whether a request from this address would be queued now.
    fn has_room(&self, address: Option<IpAddr>) -> bool {
        self.0.lines().has_room(address.map(rate_limit_prefix))
    }

    /// Runs work on the pool when its source has its turn.
    async fn run<T: Send + 'static>(
        &self,
        address: Option<IpAddr>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Undone> {
        let source = address.map(rate_limit_prefix);
        let (answer, answered) = oneshot::channel();
        let job = move |go: bool| {
            // The caller may be gone.
            let _ = answer.send(go.then(work));
        };
        let number = self.0.enter(source, Box::new(job)).ok_or(Undone::Overloaded)?;
        // A caller that disconnects leaves the queue.
        let _place = QueueTicket { queue: &self.0, source, number };
        match answered.await {
            Ok(Some(done)) => Ok(done),
            Ok(None) => Err(Undone::Overloaded),
            Err(_) => Err(Undone::Panicked),
        }
    }
}

impl Drop for Hashing {
    fn drop(&mut self) {
        self.0.lines().closed = true;
        self.0.ready.notify_all();
    }
}

/// A queued job's place, released on drop.
struct QueueTicket<'q> {
    queue: &'q Queue,
    source: Source,
    number: u64,
}

impl Drop for QueueTicket<'_> {
    fn drop(&mut self) {
        self.queue.lines().leave(self.source, self.number);
    }
}

impl Queue {
    fn lines(&self) -> MutexGuard<'_, FairQueue> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a job and returns its number; `None` if there is no room.
    fn enter(&self, source: Source, job: Job) -> Option<u64> {
        let (number, displaced) = self.lines().enter(source, job)?;
        if let Some(job) = displaced {
            job(false);
        }
        self.ready.notify_one();
        Some(number)
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            if catch_unwind(AssertUnwindSafe(|| job(true))).is_err() {
                tracing::error!("hashing a password panicked");
            }
        }
    }

    /// Waits for the next job; `None` when the threads must end.
    fn next(&self) -> Option<Job> {
        let mut lines = self.lines();
        loop {
            if let Some(job) = lines.pop() {
                return Some(job);
            }
            if lines.closed {
                return None;
            }
            lines = self.ready.wait(lines).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Hashes passwords on the pool.
pub(crate) struct PasswordHasher {
    pool: Hashing,
    cost: Cost,
    throttle: Arc<Throttle>,
}

impl PasswordHasher {
    pub(crate) fn new(throttle: &Arc<Throttle>, cost: Cost) -> PasswordHasher {
        PasswordHasher { pool: Hashing::on(THREADS), cost, throttle: Arc::clone(throttle) }
    }

    pub(crate) fn waiting(&self) -> usize {
        self.pool.waiting()
    }

    /// Rejects a request early if the hashing queue is full.
    pub(crate) fn has_room(&self, address: Option<IpAddr>) -> Result<(), Failure> {
        if self.pool.has_room(address) { Ok(()) } else { Err(Failure::HashingOverloaded) }
    }

    /// Runs password work on the pool; it gets the cost of new hashes. If the queue is full, refunds the counted attempts.
    pub(crate) async fn run<T, E>(
        &self,
        address: Option<IpAddr>,
        counted: &[Attempt],
        work: impl FnOnce(&Cost) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        E: Send + 'static,
        Failure: From<E>,
    {
        let cost = self.cost.clone();
        match self.pool.run(address, move || work(&cost)).await {
            Ok(done) => Ok(done?),
            Err(Undone::Panicked) => Err(Failure::Defect("a password could not be hashed".to_owned())),
            Err(Undone::Overloaded) => {
                self.throttle.take_back(counted).await?;
                Err(Failure::HashingOverloaded)
            }
        }
    }
}

impl From<HashError> for Failure {
    fn from(error: HashError) -> Failure {
        Failure::Defect(error.to_string())
    }
}
