//! Converts errors of a PostgreSQL connection to diesel's.
//!
//! diesel's errors have no field for an SQLSTATE, so it is put in front of the message, as `psql` prints it
//! with `VERBOSITY=verbose`: `55P03: canceling statement due to lock timeout`. [`sqlstate`] reads it back.

use std::time::Duration;

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use tokio_postgres::error::{DbError, Severity, SqlState};

/// Why a call on a connection failed.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The server did not answer in time. The connection is closed.
    TimedOut(Duration),
    /// The connection is closed, or broke during the call.
    Closed(tokio_postgres::Error),
    /// The server or the driver refused the call.
    Refused(tokio_postgres::Error),
}

impl CallError {
    /// Whether the session ended with this error, or its state is unknown.
    pub(crate) fn is_fatal(&self) -> bool {
        match self {
            Self::TimedOut(_) | Self::Closed(_) => true,
            Self::Refused(error) => match error.as_db_error() {
                Some(said) => matches!(said.parsed_severity(), Some(Severity::Fatal | Severity::Panic)),
                None => true,
            },
        }
    }
}

impl From<CallError> for DieselError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::TimedOut(limit) => Self::DatabaseError(
                DatabaseErrorKind::UnableToSendCommand,
                Box::new(format!("the database did not answer within {limit:?}")),
            ),
            CallError::Closed(cause) => {
                Self::DatabaseError(DatabaseErrorKind::ClosedConnection, Box::new(describe(&cause)))
            }
            CallError::Refused(error) => match error.as_db_error() {
                Some(said) => Self::DatabaseError(kind(said.code()), Box::new(message(said))),
                None => Self::DatabaseError(DatabaseErrorKind::Unknown, Box::new(describe(&error))),
            },
        }
    }
}

/// An error of the driver with its causes, which its `Display` omits.
pub fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}

/// An error of the server with its SQLSTATE. The store uses nothing else of it.
fn message(error: &DbError) -> String {
    format!("{}: {}", error.code().code(), error.message())
}

/// The SQLSTATE at the start of a message.
pub fn sqlstate(message: &str) -> Option<&str> {
    let (code, _) = message.split_once(": ")?;
    let plain =
        code.len() == 5 && code.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    plain.then_some(code)
}

fn kind(code: &SqlState) -> DatabaseErrorKind {
    match *code {
        SqlState::UNIQUE_VIOLATION => DatabaseErrorKind::UniqueViolation,
        SqlState::FOREIGN_KEY_VIOLATION => DatabaseErrorKind::ForeignKeyViolation,
        SqlState::T_R_SERIALIZATION_FAILURE => DatabaseErrorKind::SerializationFailure,
        SqlState::READ_ONLY_SQL_TRANSACTION => DatabaseErrorKind::ReadOnlyTransaction,
        SqlState::NOT_NULL_VIOLATION => DatabaseErrorKind::NotNullViolation,
        SqlState::CHECK_VIOLATION => DatabaseErrorKind::CheckViolation,
        SqlState::RESTRICT_VIOLATION => DatabaseErrorKind::RestrictViolation,
        SqlState::EXCLUSION_VIOLATION => DatabaseErrorKind::ExclusionViolation,
        _ => DatabaseErrorKind::Unknown,
    }
}
