//! Why a use case of the public log fails.

use thiserror::Error;

use crate::base::failure::{Failure, StoreError};
use estimation_record::{NotARecordTime, NotCanonical};
use estimation_store::UnitError;

#[derive(Debug, Error)]
pub enum LogFailure {
    #[error(transparent)]
    Common(#[from] Failure),
    /// The log is older than a checkpoint that was signed, or another one: the database was restored, or lost its end.
    #[error("the public log was rolled back: {detail}")]
    RolledBack { detail: String },
    /// Nothing outside the database says that the log was not rolled back.
    #[error("nothing confirms the public log: {detail}")]
    Unconfirmed { detail: String },
    /// A stored time is ahead of the clock.
    #[error("a time of the public log is ahead of the clock: {detail}")]
    TimeAhead { detail: String },
    /// The next checkpoint would lack a start that it must have.
    #[error("the public log lacks a start that was promised: {detail}")]
    StartOverdue { detail: String },
    /// A command of the operator cannot be carried out, for this reason.
    #[error("{0}")]
    Command(String),
}

impl From<StoreError> for LogFailure {
    fn from(error: StoreError) -> LogFailure {
        LogFailure::Common(error.into())
    }
}

impl From<NotCanonical> for LogFailure {
    fn from(error: NotCanonical) -> LogFailure {
        LogFailure::Common(error.into())
    }
}

impl From<NotARecordTime> for LogFailure {
    fn from(error: NotARecordTime) -> LogFailure {
        LogFailure::Common(error.into())
    }
}

impl UnitError for LogFailure {
    fn store_error(&self) -> Option<&StoreError> {
        match self {
            LogFailure::Common(common) => common.store_error(),
            _ => None,
        }
    }
}

/// Background jobs and commands of the operator alone meet the others.
impl From<LogFailure> for Failure {
    fn from(failure: LogFailure) -> Failure {
        match failure {
            LogFailure::Common(common) => common,
            other => Failure::Defect(other.to_string()),
        }
    }
}

impl LogFailure {
    /// Why the log is not signed, as `/readyz` names it; none for a failure that another attempt may not meet.
    pub const fn reason(&self) -> Option<&'static str> {
        match self {
            LogFailure::RolledBack { .. } => Some("rolled-back"),
            LogFailure::Unconfirmed { .. } => Some("unconfirmed"),
            LogFailure::TimeAhead { .. } => Some("time-ahead"),
            LogFailure::StartOverdue { .. } => Some("start-overdue"),
            LogFailure::Common(Failure::Defect(_) | Failure::Store(StoreError::Corrupt { .. })) => {
                Some("failed")
            }
            LogFailure::Common(_) | LogFailure::Command(_) => None,
        }
    }
}
