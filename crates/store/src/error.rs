//! Errors of the store, by what a caller can do about them.
//!
//! This module decides no HTTP status; `application` and `http` do, with [`StoreError::is_unavailable`].

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use thiserror::Error;

use super::GameId;
use estimation_engine::player::AccountId;
use estimation_postgres::sqlstate;

/// The end of the messages of the append-only triggers, in both migration trees.
const APPEND_ONLY: &str = " is append-only";

/// What queries return.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// A failed read or unit of work. Details are for the server's log, never for a client.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    /// Another command was committed first. Load the game and decide again.
    #[error("game {game} has moved on")]
    VersionConflict { game: GameId },
    /// The session of the request has ended, or what it may do has changed since the request was admitted. Admit it again.
    #[error("the authority of the session has changed")]
    AuthorityChanged,
    /// The row to change does not exist.
    #[error("no such row")]
    NotFound,
    /// Another account has this username (compared case-folded).
    #[error("the username is taken")]
    UsernameTaken,
    /// An account has this identity of an issuer.
    #[error("the identity is taken")]
    IdentityTaken,
    /// Another game has this invitation code. Draw a new one.
    #[error("the invitation code is taken")]
    JoinCodeTaken,
    /// The game already has a rematch.
    #[error("the game already has a rematch")]
    RematchTaken,
    /// The account is already in the matchmaking queue.
    #[error("the account is already in the matchmaking queue")]
    WaitsAlready,
    /// Another matchmaking table has room or is being opened. Look for it.
    #[error("another matchmaking table is being opened")]
    QueueBusy,
    /// An account was deleted that was to be seated, made the host, or a player of a game that starts.
    #[error("account {account} does not exist")]
    NoAccount { account: AccountId },
    /// There is a block between the account to seat and a player of the game.
    #[error("a block keeps account {account} from the table")]
    Blocked { account: AccountId },
    /// No other account is an admin.
    #[error("no other account is an admin")]
    LastAdmin,
    /// The account that grants a role is no admin, or no longer.
    #[error("account {account} is no admin")]
    NotAdmin { account: AccountId },
    /// The host has the maximum number of tables in the lobby.
    #[error("{host} has {limit} tables in the lobby")]
    TooManyTables {
        host: AccountId,
        /// The maximum.
        limit: u32,
    },
    /// The public log has an entry with a later time. Repeat with a time that is not before `latest`.
    #[error("the public log has an entry of {latest} ms since 1970, later than the new one")]
    LogTimePassed {
        /// The time of the last entry, in milliseconds since 1970 in UTC.
        latest: i64,
    },
    #[error("place {place} of game {game} is taken")]
    PlaceTaken {
        game: GameId,
        /// The place, from 0.
        place: i32,
    },
    /// The idempotency key was used before, possibly by a concurrent request.
    #[error("the idempotency key has been used")]
    KeyTaken,
    /// A contradictory unit of work, such as events with wrong sequence numbers.
    #[error("malformed unit of work: {reason}")]
    Malformed { reason: &'static str },
    /// A constraint violation that callers do not expect.
    #[error("the database refused: {detail}")]
    Constraint { detail: String },
    /// A write would have changed or deleted history.
    #[error("the record is append-only")]
    AppendOnly,
    /// A newer version of the program has opened the game.
    #[error(
        "game {game} has format {format}, which this version of the program does not know: it knows {known}"
    )]
    NewerGame {
        game: GameId,
        format: i32,
        /// The newest format that it knows.
        known: i32,
    },
    /// A newer version of the program has opened games.
    #[error(
        "it has games in format {format}, and this version of the program knows format {known}: start the version \
         that opened them, or a newer one"
    )]
    NewerGames {
        /// The newest format of all games.
        format: i32,
        /// The newest format that this version knows.
        known: i32,
    },
    /// Nodes run that do not know a migration.
    #[error("{nodes} nodes are running, and do not know the migration {migration}: stop all nodes first")]
    NodesRunning { nodes: i64, migration: String },
    /// Stored data is damaged.
    #[error("stored data is damaged: {detail}")]
    Corrupt { detail: String },
    /// The database currently accepts no writes.
    #[error("the database is read-only: {detail}")]
    ReadOnly { detail: String },
    /// The files at the database's path are gone or were replaced. Only a restart opens the new ones.
    #[error("the database was replaced: {detail}")]
    DatabaseReplaced { detail: String },
    #[error("the disk is full: {detail}")]
    DiskFull { detail: String },
    /// The database did not answer in time, and the connection was given up. The statement may still run.
    #[error("the database did not answer in time: {detail}")]
    TimedOut {
        /// How long the caller waited.
        detail: String,
    },
    /// The database is unreachable, locked by another session, or out of resources. Nothing was written.
    #[error("the database is unavailable: {detail}")]
    Unavailable {
        /// The message of the database or the driver.
        detail: String,
    },
    /// Too many units of work or reads are waiting. Nothing was written.
    #[error("too many reads or writes are waiting")]
    Overloaded,
    /// The store is closing. Nothing was written.
    #[error("the store is shutting down")]
    ShuttingDown,
    /// The connection was lost around COMMIT, and the outcome could not be found out.
    #[error("the outcome of the write is unknown: {detail}")]
    OutcomeUnknown {
        /// The message of the database or the driver.
        detail: String,
    },
    /// A migration failed.
    #[error("migration failed: {detail}")]
    Migration { detail: String },
    /// A newer version of the program changed the schema in a way that this version does not support.
    #[error(
        "a newer version of the program has applied the migration {migration}, which this version cannot work with: \
         run that version or a later one"
    )]
    NewerSchema { migration: String },
    /// A bug in this program: a closure that panicked, a query the database cannot parse.
    #[error("defect in the store: {detail}")]
    Defect { detail: String },
}

impl StoreError {
    /// Whether the same request may succeed a moment later (an HTTP 503).
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

    /// Whether the database aborted the transaction because of a deadlock or a serialization failure. A retry
    /// may succeed.
    pub(super) fn lost_to_another_transaction(&self) -> bool {
        matches!(self, Self::Unavailable { detail } if sqlstate(detail).is_some_and(|state| state.starts_with("40")))
    }

    /// Whether another session holds a lock that this one needs.
    pub(super) fn is_lock(&self) -> bool {
        matches!(
            self,
            Self::Unavailable { detail }
                if sqlstate(detail) == Some("55P03")
                    || matches!(detail.as_str(), "database is locked" | "database table is locked")
        )
    }

    /// Whether the connection can still be used after this error was rolled back.
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

    /// Converts a diesel error, with the caller's error for a violated unique constraint.
    pub(super) fn or_duplicate(error: DieselError, duplicate: impl FnOnce() -> Self) -> Self {
        match error {
            DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, _) => duplicate(),
            other => other.into(),
        }
    }

    /// Converts a diesel error of inserting a game, where the invitation code and the original of a rematch
    /// are unique.
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

    pub(super) fn unavailable(detail: impl std::fmt::Display) -> Self {
        Self::Unavailable { detail: detail.to_string() }
    }
}

impl From<DieselError> for StoreError {
    fn from(error: DieselError) -> Self {
        match error {
            DieselError::NotFound => Self::NotFound,
            DieselError::DeserializationError(e) => {
                // A row's own text names only the field.
                Self::Corrupt { detail: e.source().map_or(e.to_string(), |cause| format!("{e}: {cause}")) }
            }
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
        // Our PostgreSQL connection uses this kind only for timeouts.
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

/// Classifies an error by PostgreSQL's SQLSTATE where diesel has no kind for it.
fn of_sqlstate(state: &str, detail: String) -> StoreError {
    match (state, state.get(..2).unwrap_or_default()) {
        ("53100", _) => StoreError::DiskFull { detail },
        ("XX001" | "XX002", _) => StoreError::Corrupt { detail },
        // Errors of data and statements, which no retry fixes.
        (_, "0A" | "21" | "22" | "23" | "42") => StoreError::Defect { detail },
        // Deadlocks (40), lack of resources (53), locks and timeouts (55, 57), a server that stops or starts
        // (57), and other temporary errors.
        _ => StoreError::Unavailable { detail },
    }
}

/// Diesel does not pass on SQLite's error codes, but each of these texts is the fixed `sqlite3_errstr` of one
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
