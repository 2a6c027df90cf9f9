//! The writer: one thread per database that commits all waiting units of work in one transaction.
//!
//! The writer takes a bounded number of waiting units, at most one append per game. It writes them together,
//! commits once and then answers, so one fsync serves many players. A failed unit costs only itself: the
//! writer refuses a stale append before the batch or leaves it out of the transaction, and runs the batch
//! again without units that failed otherwise. The writer runs units one by one only when the whole batch
//! failed. The writer owns the only connection that writes.

mod admission;
mod batch;
mod game_events;
mod keys;
mod known_heads;
mod observer;
mod outcome;
mod refusals;
mod thread;
mod transaction;
mod unit;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::checkpoint::Restart;
use super::connection::Connection;
use super::error::StoreError;
use super::pool::{AcknowledgedCommit, Losses};
use super::request;
use super::sqlite::FileGuard;
use super::url::DatabaseUrl;
use observer::Totals;
use thread::{Connector, Message, Writer};
use unit::{Claim, Closure, PendingWork, Reply};

pub use observer::{BatchSize, StoreObserver, Unobserved};
pub(super) use refusals::Refusals;
pub use refusals::{WriteOutcomes, WriteRefusal};
pub use unit::{Append, AppendResult, Authority, Effect, Server, SessionAuthority, UnitError, UnitFailure};

/// A handle to the writer thread: queues units of work and waits for their results.
pub(super) struct WriterHandle {
    queue: mpsc::Sender<Message>,
    closing: Arc<AtomicBool>,
    confirmed: Arc<AcknowledgedCommit>,
    thread: Mutex<Option<JoinHandle<()>>>,
    totals: Arc<Totals>,
    refusals: Arc<Refusals>,
}

/// Batch size, queue size, the observer, and what guards and restarts SQLite's files.
pub(super) struct WriterSettings {
    pub batch: usize,
    pub queue: usize,
    pub observer: Arc<dyn StoreObserver>,
    pub guard: FileGuard,
    pub restart: Restart,
    /// Told about lost connections, so that readers do not use others that froze with them.
    pub losses: Losses,
}

impl WriterHandle {
    /// Starts the thread. `connection` is its first connection; it opens others when that one is lost.
    pub fn start(
        url: DatabaseUrl,
        connection: Connection,
        settings: WriterSettings,
    ) -> Result<Self, StoreError> {
        let (queue, waiting) = mpsc::channel(settings.queue.max(1));
        let totals = Arc::new(Totals::default());
        let closing = Arc::new(AtomicBool::new(false));
        let confirmed = Arc::new(AcknowledgedCommit::default());
        let refusals = Arc::new(Refusals::default());
        let connector = Connector { url, closing: Arc::clone(&closing) };
        let writer = Writer::new(
            connector,
            connection,
            waiting,
            settings,
            Arc::clone(&totals),
            Arc::clone(&confirmed),
            Arc::clone(&refusals),
        );
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || writer.run())
            .map_err(|e| StoreError::Unavailable { detail: e.to_string() })?;
        Ok(Self { queue, closing, confirmed, thread: Mutex::new(Some(thread)), totals, refusals })
    }

    /// Queues an append and waits until it is durable or refused.
    pub async fn append(&self, append: Append) -> Result<AppendResult, StoreError> {
        let outcome = append.outcome()?;
        let (answer, answered) = oneshot::channel();
        let claim = Claim::new();
        self.submit(Message::Append(append, Reply { outcome, claim: claim.clone(), answer }))?;
        in_time(&claim, answered).await
    }

    /// Queues any other unit of work and waits until it is durable or refused.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: UnitError,
        F: FnMut(&mut Connection) -> Result<T, E> + Send + 'static,
    {
        self.submit_work(work, false).await
    }

    async fn submit_work<T, E, F>(&self, work: F, confirms: bool) -> Result<T, E>
    where
        T: Send + 'static,
        E: UnitError,
        F: FnMut(&mut Connection) -> Result<T, E> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let (claim, work) = (Claim::new(), Box::new(Closure { work, outcome: None, answer }));
        self.submit(Message::Work(PendingWork { work, claim: claim.clone(), confirms }))?;
        in_time(&claim, answered).await
    }

    /// How long the oldest unit has waited.
    pub fn longest_wait(&self) -> Duration {
        self.totals.longest_wait()
    }

    pub fn refusals(&self) -> &Refusals {
        &self.refusals
    }

    pub fn confirmed(&self) -> &Arc<AcknowledgedCommit> {
        &self.confirmed
    }

    /// Waits for a commit that begins now or later. With synchronous replication, everything on the server
    /// now is then on a standby. Does nothing on SQLite.
    pub async fn confirm(&self) -> Result<(), StoreError> {
        self.submit_work(|_| Ok::<_, StoreError>(()), true).await
    }

    /// Refuses new units, finishes the queued ones and ends the thread. Blocks.
    pub fn stop(&self) {
        if self.closing.swap(true, Ordering::SeqCst) {
            return;
        }
        // An error means that the thread has already ended.
        let _ = self.queue.blocking_send(Message::Stop);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer thread had panicked");
        }
    }

    pub fn since_last_append(&self) -> Duration {
        self.totals.since_last_append()
    }

    fn submit(&self, message: Message) -> Result<(), StoreError> {
        if self.closing.load(Ordering::SeqCst) {
            return Err(StoreError::ShuttingDown);
        }
        self.queue.try_send(message).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => StoreError::Overloaded,
            mpsc::error::TrySendError::Closed(_) => StoreError::ShuttingDown,
        })
    }
}

/// Waits for the result of a unit. After the timeout, withdraws a unit that the writer has not taken.
async fn in_time<T, E: UnitError>(claim: &Claim, answered: oneshot::Receiver<Result<T, E>>) -> Result<T, E> {
    let error = match request::in_time(answered).await {
        Ok(Ok(answer)) => return answer,
        Ok(Err(_)) => StoreError::OutcomeUnknown { detail: "the writer ended without an answer".to_owned() },
        Err(_) if claim.take() => {
            StoreError::unavailable("the writer did not take the write before the deadline")
        }
        Err(late) => StoreError::OutcomeUnknown { detail: late.to_string() },
    };
    Err(error.into())
}
