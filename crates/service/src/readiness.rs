//! The state of a node: the readiness check, its shutdown, and its last outage.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::base::clock_watch::NodeClock;
use crate::base::failure::milliseconds;
use estimation_store::{Database, StoreError, WriteRefusal};

/// Database timeout.
const DATABASE_WITHIN: Duration = Duration::from_secs(2);

/// The longest a write may wait.
const WRITTEN_WITHIN: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReady {
    Stopping,
    /// The database does not answer within 2 seconds.
    DatabaseSilent,
    /// A write has waited for 5 seconds.
    WritesWaiting,
    /// The node's clock differs too much from the database server's.
    ClockSkewed,
    /// SQLite's files were deleted or replaced while open. Only a restart helps.
    DatabaseReplaced,
    /// The database refuses writes, and the node was told to be ready only with them.
    WritesRefused(WriteRefusal),
}

impl NotReady {
    pub const fn as_str(self) -> &'static str {
        match self {
            NotReady::Stopping => "stopping",
            NotReady::DatabaseSilent => "database-silent",
            NotReady::WritesWaiting => "writes-waiting",
            NotReady::ClockSkewed => "clock-skewed",
            NotReady::DatabaseReplaced => "database-replaced",
            NotReady::WritesRefused(refusal) => refusal.as_str(),
        }
    }

    pub const fn describe(self) -> &'static str {
        match self {
            NotReady::Stopping => "The node is stopping.",
            NotReady::DatabaseSilent => "The database does not answer.",
            NotReady::WritesWaiting => "The database answers, but does not write.",
            NotReady::ClockSkewed => "The node's clock is wrong.",
            NotReady::DatabaseReplaced => "The database was replaced while it was open.",
            NotReady::WritesRefused(_) => "The database answers, but refuses changes.",
        }
    }
}

pub struct Readiness {
    pub(crate) database: Database,
    pub(crate) node_clock: Arc<NodeClock>,
    pub(crate) closing: Closing,
    /// Whether the node is ready while the database refuses writes.
    pub(crate) ready_without_writes: bool,
    pub(crate) trouble: Mutex<Option<SilentDatabase>>,
}

/// A database that did not answer. One answer does not end it: others of its connections may still hang.
pub(crate) struct SilentDatabase {
    reason: NotReady,
    /// When it was last seen.
    seen: Instant,
    /// The checks without an answer yet. Each holds a connection.
    silent: Vec<JoinHandle<Result<(), StoreError>>>,
}

impl Readiness {
    /// Whether the node is ready; and if it is, why the database refuses writes.
    ///
    /// # Errors
    /// Why it is not ready.
    pub async fn check(&self) -> Result<Option<WriteRefusal>, NotReady> {
        if self.closing.is_closing() {
            return Err(NotReady::Stopping);
        }
        if self.database.longest_wait() > WRITTEN_WITHIN {
            return Err(self.troubled(NotReady::WritesWaiting, None));
        }
        if self.database.is_replaced() {
            return Err(NotReady::DatabaseReplaced);
        }
        if self.node_clock.is_skewed() {
            return Err(NotReady::ClockSkewed);
        }
        self.ping().await?;
        self.settle().await?;
        match self.database.write_refusal() {
            Some(refusal) if !self.ready_without_writes => Err(NotReady::WritesRefused(refusal)),
            refusal => Ok(refusal),
        }
    }

    /// `ready`, or why the node is not, as far as that is known without asking the database.
    pub(crate) fn glimpse(&self) -> &'static str {
        let trouble = self.present_trouble().map(|(reason, ..)| reason);
        let reason = match () {
            () if self.closing.is_closing() => Some(NotReady::Stopping),
            () if self.database.longest_wait() > WRITTEN_WITHIN => Some(NotReady::WritesWaiting),
            () if self.database.is_replaced() => Some(NotReady::DatabaseReplaced),
            () if self.node_clock.is_skewed() => Some(NotReady::ClockSkewed),
            () => trouble.or(self.database.write_refusal().map(NotReady::WritesRefused)),
        };
        reason.map_or("ready", NotReady::as_str)
    }

    async fn ping(&self) -> Result<(), NotReady> {
        let database = self.database.clone();
        let mut ping = tokio::spawn(async move { database.ping().await });
        match timeout(DATABASE_WITHIN, &mut ping).await {
            Ok(Ok(Ok(()))) => Ok(()),
            Ok(_) => Err(self.troubled(NotReady::DatabaseSilent, None)),
            Err(_) => Err(self.troubled(NotReady::DatabaseSilent, Some(ping))),
        }
    }

    /// After trouble, the node is ready when no check hangs and the database has answered a write.
    async fn settle(&self) -> Result<(), NotReady> {
        let Some((reason, seen, hang)) = self.present_trouble() else { return Ok(()) };
        if hang {
            return Err(reason);
        }
        if !self.database.answered_write_since(seen) {
            let checked = timeout(DATABASE_WITHIN, self.database.check_writes()).await;
            if checked.is_err() || !self.database.answered_write_since(seen) {
                return Err(reason);
            }
        }
        *self.lock() = None;
        Ok(())
    }

    fn present_trouble(&self) -> Option<(NotReady, Instant, bool)> {
        let mut trouble = self.lock();
        let trouble = trouble.as_mut()?;
        trouble.silent.retain(|check| !check.is_finished());
        Some((trouble.reason, trouble.seen, !trouble.silent.is_empty()))
    }

    fn troubled(&self, reason: NotReady, silent: Option<JoinHandle<Result<(), StoreError>>>) -> NotReady {
        let mut trouble = self.lock();
        let trouble = trouble.get_or_insert_with(|| SilentDatabase {
            reason,
            seen: Instant::now(),
            silent: Vec::new(),
        });
        (trouble.reason, trouble.seen) = (reason, Instant::now());
        trouble.silent.retain(|check| !check.is_finished());
        trouble.silent.extend(silent);
        reason
    }

    fn lock(&self) -> MutexGuard<'_, Option<SilentDatabase>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the node is shutting down: set once at shutdown. Clones share it.
#[derive(Clone)]
pub(crate) struct Closing(watch::Sender<bool>);

impl Closing {
    pub(crate) fn new() -> Closing {
        Closing(watch::Sender::new(false))
    }

    fn is_closing(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) fn close(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn watch(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}

/// When this node last could not do what it was asked, in milliseconds since 1970 in UTC. Players are not blamed for what
/// they miss meanwhile.
#[derive(Debug)]
pub struct Outages(AtomicI64);

impl Outages {
    /// Before its start the node answered no request at all.
    pub(crate) fn new(started: Timestamp) -> Outages {
        Outages(AtomicI64::new(milliseconds(started)))
    }

    /// Records that the node answered a request with a failure of its own.
    pub fn failed(&self, at: Timestamp) {
        self.0.fetch_max(milliseconds(at), Ordering::Relaxed);
    }

    /// The time of the last failure, or of the start.
    pub(crate) fn last(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.load(Ordering::Relaxed)).unwrap_or_default()
    }
}
