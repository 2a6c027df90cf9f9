//! What can go wrong in the store, sorted by what a caller can do about it.
//!
//! Nothing here decides an HTTP status; `application` and `http` do, with [`StoreError::is_unavailable`].

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use thiserror::Error;

use super::postgres::sqlstate;

/// How the messages end of the triggers that keep the log and its like append-only, in both migration trees.
const APPEND_ONLY: &str = " is append-only";

/// A failed read or unit of work. Details are for the log of the server, never for a client.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    /// Another command was there first: load the game again, decide again.
    #[error("game {game} has moved on")]
    VersionConflict {
        /// The game's id.
        game: String,
    },
    /// The row a change was meant for does not exist.
    #[error("no such row")]
    NotFound,
    /// Another account has this username (compared case-folded).
    #[error("the username is taken")]
    UsernameTaken,
    /// Another game has this invitation code: draw a new one.
    #[error("the invitation code is taken")]
    JoinCodeTaken,
    /// The game has a rematch already.
    #[error("there is a rematch already")]
    RematchTaken,
    /// The account waits for a table of strangers already.
    #[error("the account waits already")]
    WaitsAlready,
    /// Another table of strangers has room, or is being opened just now: look for it.
    #[error("a table of strangers is being opened")]
    QueueBusy,
    /// The account that is to be seated or made the host is gone.
    #[error("account {account} is gone")]
    NoAccount {
        /// The account's id.
        account: String,
    },
    /// The host has as many tables in the lobby as one may have.
    #[error("{host} has {most} tables in the lobby")]
    TooManyTables {
        /// The host's account id.
        host: String,
        /// How many one may have.
        most: u32,
    },
    /// The place is taken.
    #[error("place {place} of game {game} is taken")]
    PlaceTaken {
        /// The game's id.
        game: String,
        /// The place, from 0.
        place: i32,
    },
    /// The idempotency key was used before, or just now by a request that was quicker.
    #[error("the idempotency key has been used")]
    KeyTaken,
    /// A unit of work that contradicts itself, like events that do not start where they say.
    #[error("malformed unit of work: {reason}")]
    Malformed {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A constraint that no caller is expected to meet.
    #[error("the database refused: {detail}")]
    Constraint {
        /// What the database said.
        detail: String,
    },
    /// History would have been changed or deleted.
    #[error("the record is append-only")]
    AppendOnly,
    /// Stored data that cannot be what it claims to be.
    #[error("stored data is damaged: {detail}")]
    Corrupt {
        /// What was found.
        detail: String,
    },
    /// The database accepts no writes at present.
    #[error("the database is read-only: {detail}")]
    ReadOnly {
        /// What the database said.
        detail: String,
    },
    /// The files at the database's path are not those that were opened, or are gone. Only a restart opens others.
    #[error("the database was replaced: {detail}")]
    DatabaseReplaced {
        /// What was found.
        detail: String,
    },
    /// There is no room left.
    #[error("the disk is full: {detail}")]
    DiskFull {
        /// What the database said.
        detail: String,
    },
    /// The database did not answer in time, and the connection was given up. What it was doing it may still do.
    #[error("the database did not answer in time: {detail}")]
    TimedOut {
        /// How long was waited.
        detail: String,
    },
    /// The database is away, locked by another session, or out of resources. Nothing was written.
    #[error("the database is unavailable: {detail}")]
    Unavailable {
        /// What the database or the driver said.
        detail: String,
    },
    /// More is waiting than the store is willing to keep. Nothing was written.
    #[error("too much is waiting to be written or read")]
    Overloaded,
    /// The store is closing. Nothing was written.
    #[error("the store is shutting down")]
    ShuttingDown,
    /// The connection was lost around COMMIT, and whether it took place could not be found out.
    #[error("it is not known whether the write took place: {detail}")]
    OutcomeUnknown {
        /// What the database or the driver said.
        detail: String,
    },
    /// The schema could not be brought up to date.
    #[error("migration failed: {detail}")]
    Migration {
        /// What the database said.
        detail: String,
    },
    /// A newer version of the program has changed the schema in a way that this one cannot work with.
    #[error(
        "a newer version of the program has applied the migration {migration}, which this version cannot work with: \
         run that version or a later one"
    )]
    NewerSchema {
        /// The migration's name.
        migration: String,
    },
    /// A mistake in this program: a closure that panicked, a query the database cannot read.
    #[error("defect in the store: {detail}")]
    Defect {
        /// What happened.
        detail: String,
    },
}

impl StoreError {
    /// Whether the same request may well succeed a moment later (an HTTP 503).
    pub fn is_unavailable(&self) -> bool {
        matches!(
            self,
            Self::ReadOnly { .. }
                | Self::DatabaseReplaced { .. }
                | Self::DiskFull { .. }
                | Self::TimedOut { .. }
                | Self::Unavailable { .. }
                | Self::Overloaded
                | Self::ShuttingDown
                | Self::OutcomeUnknown { .. }
        )
    }

    /// Whether the transaction gave way to another one, by a deadlock or because the two could not be put in order:
    /// the same again may well go through.
    pub(super) fn lost_to_another_transaction(&self) -> bool {
        matches!(self, Self::Unavailable { detail } if sqlstate(detail).is_some_and(|state| state.starts_with("40")))
    }

    /// Whether the transaction's connection is still as good as new after this error was rolled back.
    pub(super) fn leaves_connection_sound(&self) -> bool {
        !matches!(
            self,
            Self::ReadOnly { .. }
                | Self::DatabaseReplaced { .. }
                | Self::DiskFull { .. }
                | Self::TimedOut { .. }
                | Self::Unavailable { .. }
                | Self::OutcomeUnknown { .. }
                | Self::Corrupt { .. }
                | Self::Defect { .. }
        )
    }

    /// Reads a diesel error, with a meaning of the caller's own for a broken unique constraint.
    pub(super) fn or_duplicate(error: DieselError, duplicate: impl FnOnce() -> Self) -> Self {
        match error {
            DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, _) => duplicate(),
            other => other.into(),
        }
    }

    /// Reads a diesel error met when a game is listed: both its invitation code and what it is the rematch
    /// of are unique.
    pub(super) fn of_listing(error: DieselError) -> Self {
        match error {
            DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, info)
                if info.message().contains("rematch_of") =>
            {
                Self::RematchTaken
            }
            other => Self::or_duplicate(other, || Self::JoinCodeTaken),
        }
    }

    /// The store could not be reached at all.
    pub(super) fn unavailable(detail: impl std::fmt::Display) -> Self {
        Self::Unavailable { detail: detail.to_string() }
    }
}

impl From<DieselError> for StoreError {
    fn from(error: DieselError) -> Self {
        match error {
            DieselError::NotFound => Self::NotFound,
            DieselError::DeserializationError(e) => Self::Corrupt { detail: e.to_string() },
            DieselError::BrokenTransactionManager => Self::unavailable("the connection is broken"),
            DieselError::RollbackErrorOnCommit { commit_error, .. } => (*commit_error).into(),
            DieselError::DatabaseError(kind, info) => of_kind(kind, info.message()),
            other => Self::Defect { detail: other.to_string() },
        }
    }
}

fn of_kind(kind: DatabaseErrorKind, message: &str) -> StoreError {
    let detail = message.to_owned();
    match kind {
        DatabaseErrorKind::UniqueViolation
        | DatabaseErrorKind::ForeignKeyViolation
        | DatabaseErrorKind::NotNullViolation
        | DatabaseErrorKind::CheckViolation
        | DatabaseErrorKind::ExclusionViolation => StoreError::Constraint { detail },
        DatabaseErrorKind::RestrictViolation if message.ends_with(APPEND_ONLY) => StoreError::AppendOnly,
        DatabaseErrorKind::RestrictViolation => StoreError::Constraint { detail },
        DatabaseErrorKind::ReadOnlyTransaction => StoreError::ReadOnly { detail },
        // The connection to PostgreSQL says this of a deadline alone.
        DatabaseErrorKind::UnableToSendCommand => StoreError::TimedOut { detail },
        DatabaseErrorKind::SerializationFailure | DatabaseErrorKind::ClosedConnection => {
            StoreError::Unavailable { detail }
        }
        _ => match sqlstate(message).map(str::to_owned) {
            Some(state) => of_sqlstate(&state, detail),
            None => unclassified(detail),
        },
    }
}

/// What PostgreSQL's code says of an error that diesel has no kind for.
fn of_sqlstate(state: &str, detail: String) -> StoreError {
    match (state, state.get(..2).unwrap_or_default()) {
        ("53100", _) => StoreError::DiskFull { detail },
        ("XX001" | "XX002", _) => StoreError::Corrupt { detail },
        // Data and statements that no moment is right for.
        (_, "0A" | "21" | "22" | "23" | "42") => StoreError::Defect { detail },
        // Deadlocks (40), a want of resources (53), locks and timeouts (55, 57), a server that stops or starts
        // (57), and whatever else: trouble of the moment.
        _ => StoreError::Unavailable { detail },
    }
}

/// SQLite's own codes do not come through diesel, but each of these texts is the fixed `sqlite3_errstr` of one
/// code.
fn unclassified(detail: String) -> StoreError {
    match detail.as_str() {
        refused if refused.ends_with(APPEND_ONLY) => StoreError::AppendOnly,
        "database or disk is full" => StoreError::DiskFull { detail },
        "attempt to write a readonly database" => StoreError::ReadOnly { detail },
        "database disk image is malformed" | "file is not a database" => StoreError::Corrupt { detail },
        _ => StoreError::Unavailable { detail },
    }
}
