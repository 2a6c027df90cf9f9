//! Whether the database refuses writes, and why.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::StoreError;

/// A refusal ends when writes succeed and none was refused for this long.
const HOLD: Duration = Duration::from_secs(5);

/// Why the database refuses writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteRefusal {
    DiskFull,
    ReadOnly,
    /// Another session locks a table or a row.
    Locked,
    /// SQLite's files were deleted or replaced while open.
    Replaced,
    /// The database cannot be reached, or fails otherwise.
    Unavailable,
}

impl WriteRefusal {
    pub const ALL: [WriteRefusal; 5] = [
        WriteRefusal::DiskFull,
        WriteRefusal::ReadOnly,
        WriteRefusal::Locked,
        WriteRefusal::Replaced,
        WriteRefusal::Unavailable,
    ];

    /// Its name in metrics and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            WriteRefusal::DiskFull => "disk-full",
            WriteRefusal::ReadOnly => "read-only",
            WriteRefusal::Locked => "locked",
            WriteRefusal::Replaced => "database-replaced",
            WriteRefusal::Unavailable => "unavailable",
        }
    }

    /// The refusal that an error of the writer is; none for errors of a single unit.
    pub fn of(error: &StoreError) -> Option<WriteRefusal> {
        match error {
            StoreError::DiskFull { .. } => Some(WriteRefusal::DiskFull),
            StoreError::ReadOnly { .. } => Some(WriteRefusal::ReadOnly),
            StoreError::DatabaseReplaced { .. } => Some(WriteRefusal::Replaced),
            error if error.is_lock() => Some(WriteRefusal::Locked),
            error if error.lost_to_another_transaction() => None,
            StoreError::TimedOut { .. }
            | StoreError::Unavailable { .. }
            | StoreError::OutcomeUnknown { .. } => Some(WriteRefusal::Unavailable),
            _ => None,
        }
    }
}

/// The last outcomes of the writer, for all threads.
#[derive(Default)]
pub(crate) struct Refusals(Mutex<WriteOutcomes>);

/// The last outcomes of the writer.
#[derive(Clone, Copy, Default)]
pub struct WriteOutcomes {
    pub refused: Option<(WriteRefusal, Instant)>,
    pub committed: Option<Instant>,
    /// When the database last answered a write, with a commit or a refusal.
    pub answered: Option<Instant>,
}

impl WriteOutcomes {
    /// Why writes are refused at that time.
    pub fn refusal(self, now: Instant) -> Option<WriteRefusal> {
        let (refusal, at) = self.refused?;
        let is_over = self.committed.is_some_and(|committed| committed > at)
            && now.saturating_duration_since(at) >= HOLD;
        (!is_over).then_some(refusal)
    }
}

impl Refusals {
    fn lock(&self) -> MutexGuard<'_, WriteOutcomes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn committed(&self) {
        let now = Instant::now();
        let mut outcomes = self.lock();
        (outcomes.committed, outcomes.answered) = (Some(now), Some(now));
    }

    pub fn failed(&self, error: &StoreError) {
        if let Some(refusal) = WriteRefusal::of(error) {
            self.refused(refusal);
        }
    }

    pub fn refused(&self, refusal: WriteRefusal) {
        let now = Instant::now();
        let mut outcomes = self.lock();
        let known = outcomes.refusal(now);
        outcomes.refused = Some((refusal, now));
        if refusal != WriteRefusal::Unavailable {
            outcomes.answered = Some(now);
        }
        drop(outcomes);
        if known != Some(refusal) {
            tracing::error!(reason = refusal.as_str(), "the database refuses writes");
        }
    }

    /// Why writes are refused at present.
    pub fn current(&self) -> Option<WriteRefusal> {
        self.lock().refusal(Instant::now())
    }

    /// Whether the database answered a write after that time.
    pub fn answered_since(&self, time: Instant) -> bool {
        self.lock().answered.is_some_and(|answered| answered > time)
    }

    /// Whether nothing was written for this long.
    pub fn idle_for(&self, time: Duration) -> bool {
        self.lock().committed.is_none_or(|committed| committed.elapsed() >= time)
    }
}
