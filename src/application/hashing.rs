//! The threads on which passwords are hashed: a few for the whole process, and always the same.
//!
//! A hash takes 19 MiB, and a thread's memory stays with it when the hash is done. On whichever thread is
//! free, dozens of them would come to hold that much each.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::{Semaphore, oneshot};

/// The threads. They end when this is dropped.
pub(super) struct Hashing {
    /// Who waits here and goes away takes no thread's time.
    turns: Semaphore,
    queue: Sender<Job>,
}

type Job = Box<dyn FnOnce() + Send>;

impl Hashing {
    /// Starts so many threads.
    pub(super) fn on(threads: usize) -> Hashing {
        let (queue, jobs) = channel::<Job>();
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..threads {
            let jobs = Arc::clone(&jobs);
            let started = thread::Builder::new().name("hashing".to_owned()).spawn(move || work(&jobs));
            if let Err(error) = started {
                tracing::error!(%error, "a thread for hashing passwords could not be started");
            }
        }
        Hashing { turns: Semaphore::new(threads), queue }
    }

    /// Does some work there, when its turn has come; none if it could not be done.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let _turn = self.turns.acquire().await.ok()?;
        let (answer, answered) = oneshot::channel();
        let job = move || {
            // Whoever asked may have gone away.
            let _ = answer.send(work());
        };
        self.queue.send(Box::new(job)).ok()?;
        answered.await.ok()
    }
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("hashing a password panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[tokio::test]
    async fn the_threads_are_always_the_same() {
        let hashing = Hashing::on(2);
        let mut threads = HashSet::new();
        for _ in 0..20 {
            threads.insert(hashing.run(|| thread::current().id()).await.unwrap());
        }
        assert!(threads.len() <= 2);
    }

    #[tokio::test]
    async fn a_panic_is_no_answer_and_costs_no_thread() {
        let hashing = Hashing::on(1);
        assert_eq!(hashing.run(|| panic!("no such thing")).await, None::<()>);
        assert_eq!(hashing.run(|| 1).await, Some(1));
    }
}
