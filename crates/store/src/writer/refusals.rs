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
    fn of(error: &StoreError) -> Option<WriteRefusal> {
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

/// The last outcomes of the writer.
#[derive(Default)]
pub(crate) struct Refusals(Mutex<Outcomes>);

#[derive(Clone, Copy, Default)]
struct Outcomes {
    refused: Option<(WriteRefusal, Instant)>,
    committed: Option<Instant>,
    /// When the database last answered a write, with a commit or a refusal.
    answered: Option<Instant>,
}

impl Outcomes {
    fn refusal(self, now: Instant) -> Option<WriteRefusal> {
        let (refusal, at) = self.refused?;
        let is_over = self.committed.is_some_and(|committed| committed > at)
            && now.saturating_duration_since(at) >= HOLD;
        (!is_over).then_some(refusal)
    }
}

impl Refusals {
    fn lock(&self) -> MutexGuard<'_, Outcomes> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_ends_with_a_commit_and_a_pause() {
        let begun = Instant::now();
        let at = |seconds: u64| begun + Duration::from_secs(seconds);
        let mut outcomes = Outcomes { refused: Some((WriteRefusal::Locked, at(10))), ..Outcomes::default() };
        assert_eq!(outcomes.refusal(at(100)), Some(WriteRefusal::Locked), "nobody has written since");
        outcomes.committed = Some(at(9));
        assert_eq!(outcomes.refusal(at(100)), Some(WriteRefusal::Locked), "the commit was before");
        outcomes.committed = Some(at(11));
        assert_eq!(outcomes.refusal(at(14)), Some(WriteRefusal::Locked));
        assert_eq!(outcomes.refusal(at(15)), None);
    }

    #[test]
    fn errors_of_a_unit_are_no_refusal() {
        let unavailable = |detail: &str| StoreError::unavailable(detail);
        assert_eq!(WriteRefusal::of(&unavailable("55P03: lock timeout")), Some(WriteRefusal::Locked));
        assert_eq!(WriteRefusal::of(&unavailable("database is locked")), Some(WriteRefusal::Locked));
        assert_eq!(WriteRefusal::of(&unavailable("40P01: deadlock")), None);
        assert_eq!(WriteRefusal::of(&unavailable("connection refused")), Some(WriteRefusal::Unavailable));
        for error in
            [StoreError::NotFound, StoreError::KeyTaken, StoreError::Overloaded, StoreError::ShuttingDown]
        {
            assert_eq!(WriteRefusal::of(&error), None, "{error}");
        }
    }
}
