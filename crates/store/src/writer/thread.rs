//! The writer's thread: collects batches, runs them, and recovers from lost connections.

use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::batch::{Batch, Failure};
use super::known_heads::KnownHeads;
use super::observer::Totals;
use super::outcome::{self, Outcome};
use super::unit::{Append, PendingWork, Reply};
use super::{Refusals, WriterSettings};
use crate::checkpoint;
use crate::connection::{Connection, Purpose};
use crate::pool::AcknowledgedCommit;
use crate::url::DatabaseUrl;
use crate::{GameId, StoreError};

/// How often a batch runs again without its failed units before each unit runs alone.
const RERUNS: usize = 4;

/// With more waiting units, the writer puts off beginning SQLite's log again, for at most so many batches.
const SHORT_QUEUE: usize = 8;
const PUT_OFF: usize = 8;

/// After how many batches the writer gives up beginning the log again, because readers prevent it.
const TRIES: usize = 8;

/// After a batch with so many units on SQLite, the next one begins at the earliest [`GATHERING`] after it began. More commands
/// share a commit then, which costs the processor as much as some of them together.
const MANY: usize = 4;
const GATHERING: Duration = Duration::from_millis(1);

/// A message in the writer's queue.
pub(super) enum Message {
    Append(Append, Reply),
    Work(PendingWork),
    /// Finish the units before this message, then end.
    Stop,
}

/// Opens the connections of the writer.
pub(super) struct Connector {
    pub url: DatabaseUrl,
    /// Set when the writer shuts down. From then on the usual call timeout applies to a COMMIT.
    pub closing: Arc<AtomicBool>,
}

impl Connector {
    /// Opens a connection that waits for a COMMIT as long as the server works on it.
    pub fn open(&self) -> Result<Connection, StoreError> {
        let mut conn = Connection::open(&self.url, Purpose::Write)?;
        self.prepare(&mut conn);
        Ok(conn)
    }

    fn prepare(&self, conn: &mut Connection) {
        if let (Connection::Postgres(conn), DatabaseUrl::Postgres(url)) = (conn, &self.url) {
            conn.wait_for_commits(Arc::clone(url.settings()), Arc::clone(&self.closing));
        }
    }
}

pub(super) struct Writer {
    connector: Connector,
    connection: Option<Connection>,
    waiting: mpsc::Receiver<Message>,
    /// Appends whose game already had one in the batch, in queue order.
    held: VecDeque<(Append, Reply)>,
    heads: KnownHeads,
    stopping: bool,
    /// Before this time no batch begins.
    next: Option<Instant>,
    /// Batches since SQLite's log should begin again.
    since_restart_wanted: usize,
    settings: WriterSettings,
    totals: Arc<Totals>,
    confirmed: Arc<AcknowledgedCommit>,
    refusals: Arc<Refusals>,
}

/// The result of one attempt to write a batch.
enum Attempt {
    Committed,
    /// Nothing was written. The units that caused the failure have been removed.
    Refused,
    /// Nothing was written.
    Failed(StoreError),
    /// Nothing was written, and there is no connection for another attempt.
    Unreachable(StoreError),
    Unknown(StoreError),
}

impl Writer {
    pub fn new(
        connector: Connector,
        mut connection: Connection,
        waiting: mpsc::Receiver<Message>,
        settings: WriterSettings,
        totals: Arc<Totals>,
        confirmed: Arc<AcknowledgedCommit>,
        refusals: Arc<Refusals>,
    ) -> Self {
        connector.prepare(&mut connection);
        Self {
            connector,
            connection: Some(connection),
            waiting,
            held: VecDeque::new(),
            heads: KnownHeads::default(),
            stopping: false,
            next: None,
            since_restart_wanted: 0,
            settings,
            totals,
            confirmed,
            refusals,
        }
    }

    /// Runs until [`Message::Stop`] arrives or all senders are gone.
    pub fn run(mut self) {
        while let Some(batch) = self.next_batch() {
            // Units catch their own panics. After any other panic, the callers of this batch learn that the
            // outcome is unknown.
            if catch_unwind(AssertUnwindSafe(|| self.settle(batch))).is_err() {
                tracing::error!("the writer panicked while it ran a batch");
                self.connection = None;
            }
            self.totals.working_since(None);
            if self.settings.restart.is_wanted() {
                self.restart_log();
            }
        }
        self.waiting.close();
        while let Ok(message) = self.waiting.try_recv() {
            let mut late = Batch::default();
            match message {
                Message::Append(append, reply) => late.appends.push((append, reply)),
                Message::Work(pending) => late.works.push(pending.work),
                Message::Stop => {}
            }
            late.fail(&StoreError::ShuttingDown);
        }
    }

    /// Collects the waiting units up to the bound. Blocks while there are none.
    fn next_batch(&mut self) -> Option<Batch> {
        if let Some(next) = self.next.take() {
            sleep(next.saturating_duration_since(Instant::now()));
        }
        let mut batch = Batch::default();
        let mut games = HashSet::new();
        for (append, reply) in std::mem::take(&mut self.held) {
            self.admit(append, reply, &mut batch, &mut games);
        }
        while !self.stopping && batch.size().units < self.bound() && self.held.len() < self.bound() {
            let message = if batch.size().units == 0 {
                self.waiting.blocking_recv()
            } else {
                match self.waiting.try_recv() {
                    Ok(message) => Some(message),
                    Err(mpsc::error::TryRecvError::Empty) => break,
                    Err(mpsc::error::TryRecvError::Disconnected) => None,
                }
            };
            match message {
                Some(Message::Append(append, reply)) => self.admit(append, reply, &mut batch, &mut games),
                Some(Message::Work(pending)) if pending.claim.take() => {
                    batch.take(pending.claim.queued());
                    batch.must_confirm |= pending.confirms;
                    batch.works.push(pending.work);
                }
                Some(Message::Work(_)) => {}
                Some(Message::Stop) | None => self.stopping = true,
            }
        }
        batch.appends.sort_by_key(|(append, _)| append.game);
        if batch.size().units >= MANY && matches!(self.connector.url, DatabaseUrl::Sqlite(_)) {
            self.next = Some(Instant::now() + GATHERING);
        }
        self.totals.working_since(batch.oldest());
        (batch.size().units > 0).then_some(batch)
    }

    /// Moves the rest of SQLite's write-ahead log into the database file, so that the next commit begins the log again.
    /// Waits for a short queue, and tries again after the next batch when a reader prevents it.
    fn restart_log(&mut self) {
        self.since_restart_wanted += 1;
        let queued = self.waiting.len() + self.held.len();
        if queued > SHORT_QUEUE && self.since_restart_wanted < PUT_OFF {
            return;
        }
        let Some(conn) = self.connection.as_mut().filter(|_| self.settings.guard.known().is_ok()) else {
            return;
        };
        let done = match checkpoint::move_rest(conn) {
            Ok(is_complete) => is_complete,
            // On a full disk the next commit fails as well, and the guard handles it.
            Err(error) => {
                tracing::debug!(%error, "cannot move the rest of the write-ahead log");
                true
            }
        };
        if done || self.since_restart_wanted >= PUT_OFF + TRIES {
            self.since_restart_wanted = 0;
            self.settings.restart.withdraw();
        }
    }

    fn bound(&self) -> usize {
        self.settings.batch.max(1)
    }

    /// Adds an append to the batch, at most one per game: the next append of a game was decided before this
    /// one was written. Refuses a known stale append here, without a transaction. Drops an append whose
    /// caller timed out.
    fn admit(&mut self, append: Append, reply: Reply, batch: &mut Batch, games: &mut HashSet<GameId>) {
        if self.heads.is_stale(&append) {
            self.settings.observer.conflicts(1);
            reply.send(Some(append.conflict()));
        } else if batch.appends.len() < self.bound() && games.insert(append.game) {
            let queued = reply.claim.queued();
            self.settings.observer.taken(queued.elapsed());
            if reply.claim.take() {
                batch.take(queued);
                batch.appends.push((append, reply));
            } else {
                games.remove(&append.game);
            }
        } else {
            self.held.push_back((append, reply));
        }
    }

    /// Writes a batch and answers its callers.
    fn settle(&mut self, mut batch: Batch) {
        let mut last = None;
        for _ in 0..RERUNS {
            match self.attempt(&mut batch) {
                Attempt::Refused => self.rerun(&batch, "without the failed units"),
                Attempt::Failed(error) if error.lost_to_another_transaction() => {
                    tracing::debug!(%error, "the database aborted a batch in favour of another transaction");
                    self.rerun(&batch, "unchanged");
                    last = Some(error);
                }
                // The insert finds the stale append now that the other node's commit is visible.
                Attempt::Failed(StoreError::VersionConflict { .. }) => {
                    tracing::debug!("another node wrote to a game of a batch at the same moment");
                    self.rerun(&batch, "unchanged");
                    last = None;
                }
                // A full, locked or read-only database fails each unit alone as well, so there is no point in
                // splitting.
                Attempt::Failed(error) if batch.size().units > 1 && !error.is_unavailable() => {
                    tracing::debug!(%error, "a batch failed");
                    break;
                }
                attempt => return self.close(batch, attempt),
            }
        }
        if let Some(error) = last {
            return batch.fail(&error);
        }
        self.rerun(&batch, "unit by unit");
        self.settle_one_by_one(batch);
    }

    fn rerun(&self, batch: &Batch, how: &str) {
        tracing::debug!(units = batch.size().units, "running a batch again: {how}");
        self.settings.observer.rerun();
    }

    fn settle_one_by_one(&mut self, batch: Batch) {
        let mut unreachable = None;
        for mut single in batch.into_singles() {
            if let Some(error) = &unreachable {
                single.fail(error);
                continue;
            }
            let attempt = self.attempt(&mut single);
            if let Attempt::Unreachable(error) = &attempt {
                unreachable = Some(error.clone());
            }
            self.close(single, attempt);
        }
    }

    /// Answers the callers of a batch.
    fn close(&mut self, batch: Batch, attempt: Attempt) {
        match attempt {
            Attempt::Committed => {
                for (append, reply) in &batch.appends {
                    self.heads.record(append, reply.outcome);
                }
                batch.answer();
            }
            // All appends of such a batch were refused.
            Attempt::Refused => batch.answer(),
            Attempt::Failed(error) | Attempt::Unreachable(error) | Attempt::Unknown(error) => {
                batch.fail(&error)
            }
        }
    }

    /// Runs a batch. Runs it once more if the connection died since its last use.
    fn attempt(&mut self, batch: &mut Batch) -> Attempt {
        let known = self.connection.is_some();
        let attempt = self.attempt_once(batch);
        if let Attempt::Failed(error) | Attempt::Unreachable(error) | Attempt::Unknown(error) = &attempt {
            self.settings.guard.failed(error);
        }
        let attempt = match attempt {
            // A connection that timed out has used up the callers' waiting time.
            Attempt::Unreachable(StoreError::TimedOut { .. }) => attempt,
            Attempt::Unreachable(_) if known => self.attempt_once(batch),
            attempt => attempt,
        };
        match &attempt {
            Attempt::Committed => self.refusals.committed(),
            Attempt::Failed(error) | Attempt::Unreachable(error) | Attempt::Unknown(error) => {
                self.refusals.failed(error);
            }
            Attempt::Refused => {}
        }
        attempt
    }

    fn attempt_once(&mut self, batch: &mut Batch) -> Attempt {
        if let Err(error) = self.settings.guard.admit() {
            return Attempt::Unreachable(error);
        }
        let mut conn = match self.connection.take().map_or_else(|| self.connect(), Ok) {
            Ok(conn) => conn,
            Err(error) => return Attempt::Unreachable(error),
        };
        let begun = Instant::now();
        match batch.execute(&mut conn, &*self.settings.observer) {
            Ok(()) => {
                if let Some(server) = conn.server().filter(|_| batch.confirms()) {
                    self.confirmed.note(server, begun);
                }
                self.connection = Some(conn);
                if let Err(error) = self.settings.guard.confirm() {
                    return Attempt::Unknown(StoreError::OutcomeUnknown { detail: error.to_string() });
                }
                self.committed(batch);
                Attempt::Committed
            }
            Err(Failure::Refused) => {
                self.connection = Some(conn);
                Attempt::Refused
            }
            Err(Failure::RolledBack(error)) => {
                if conn.is_spent() {
                    self.lost();
                    return Attempt::Unreachable(error);
                }
                // After such an error a new connection is safer than this one.
                self.connection = error.leaves_connection_sound().then_some(conn);
                Attempt::Failed(error)
            }
            Err(Failure::AtCommit { error, transaction }) => {
                drop(conn);
                self.lost();
                // A replaced database file proves nothing about the old one.
                if let Err(replaced) = self.settings.guard.confirm() {
                    return Attempt::Unknown(StoreError::OutcomeUnknown { detail: replaced.to_string() });
                }
                tracing::warn!(%error, "COMMIT failed; looking up its outcome");
                let found = outcome::of(&self.connector, batch, transaction.as_ref(), &error);
                if let Some(conn) = found.connection {
                    self.adopt(conn);
                }
                match found.outcome {
                    Outcome::Committed => {
                        self.committed(batch);
                        Attempt::Committed
                    }
                    Outcome::RolledBack => Attempt::Failed(error),
                    Outcome::Unknown => {
                        Attempt::Unknown(StoreError::OutcomeUnknown { detail: error.to_string() })
                    }
                }
            }
        }
    }

    fn lost(&self) {
        self.settings.losses.fetch_add(1, Ordering::Relaxed);
    }

    fn committed(&self, batch: &Batch) {
        let size = batch.size();
        if size.units > 0 {
            if size.events > 0 {
                self.totals.appended();
            }
            self.settings.observer.committed(size);
        }
        let stale = batch.stale();
        if stale > 0 {
            self.settings.observer.conflicts(stale);
        }
    }

    fn connect(&mut self) -> Result<Connection, StoreError> {
        let conn = self.connector.open()?;
        self.settings.guard.confirm()?;
        self.reconnected();
        Ok(conn)
    }

    /// Continues with a connection that was opened elsewhere.
    fn adopt(&mut self, conn: Connection) {
        self.connection = Some(conn);
        self.reconnected();
    }

    fn reconnected(&mut self) {
        // After a failover the database may be older.
        self.heads = KnownHeads::default();
    }
}
