//! Failures of use cases, with the data a client needs. `http` maps each to a status.

use std::borrow::Cow;

use jiff::Timestamp;
use thiserror::Error;
use uuid::Uuid;

pub use super::field_error::{FieldCode, FieldError, sentence};
pub use super::names::refusal::Refusal;
use crate::auth::keys::KeyError;
use crate::auth::passwords::HashError;
pub use crate::auth::passwords::PasswordError;
pub use crate::auth::tokens::TokenError;
use crate::auth::tokens::{Role, SigningFailed, UnknownRole};
use crate::games::published_event::PublishedEvent;
use estimation_engine::player::AccountId;
use estimation_engine::rejection::Rejection;
use estimation_engine::ruleset::UnknownRuleset;
use estimation_engine::ruleset::options::OptionError;
use estimation_engine::score::ImpossibleRound;
use estimation_record::{NotARecordTime, NotCanonical};
use estimation_store::GameId;
pub use estimation_store::StoreError;

/// Why a use case failed. Nothing has changed.
#[derive(Debug, Error)]
pub enum Failure {
    /// It does not exist, or the caller may not know of it.
    #[error("there is no such {what}")]
    NotFound { what: &'static str },
    /// It exists, but the caller may not know of it. Answered like [`Failure::NotFound`]; the security log
    /// distinguishes the two.
    #[error("there is no such {what}")]
    Withheld { what: &'static str },
    /// The rules of the game or the table refuse the command.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The game has advanced past the version the caller expected.
    #[error("the game is at version {current_version}")]
    StaleVersion {
        current_version: u64,
        /// The events since that version, as the caller may see them.
        events: Vec<PublishedEvent>,
    },
    /// The log lacks the event the caller knows: it was restored, or lost its end.
    #[error("the log does not have that event; it ends at {current_version}")]
    LogReplaced { current_version: u64 },
    #[error("the game is too busy")]
    Busy,
    #[error("a request with this idempotency key is in progress")]
    RequestInProgress,
    #[error("too many streams are open")]
    TooManyStreams,
    #[error("the idempotency key was used with another body")]
    KeyReused,
    #[error("this game has no spectators")]
    SpectatorsBarred,
    /// The account is already in the queue.
    #[error("you are already in the matchmaking queue")]
    WaitsAlready { game: GameId },
    /// Players cannot use host commands at a matchmade table before it starts.
    #[error("the service seats the players of this table and starts it")]
    StrangersTable,
    #[error("the limit of {limit} changes before the start is reached")]
    TableChangedTooOften { limit: u64 },
    /// The account reached the limit of joins and client seed changes at a table.
    #[error("the limit of {limit} joins and changes of the client seed is reached")]
    SatDownTooOften { limit: u64 },
    #[error("the host already has {limit} tables in the lobby, which is the maximum")]
    TooManyTables { host: AccountId, limit: u32 },
    /// A game's history is available once it is over.
    #[error("the game is not over")]
    NotOver,
    /// The caller accessed the game as an auditor, and may not play in it.
    #[error("an auditor cannot play in a game whose record they have read")]
    AuditorBarred,
    /// Unknown option, or invalid value.
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(transparent)]
    UnknownRuleset(#[from] UnknownRuleset),
    #[error("{reason}")]
    ImpossibleRound {
        /// As in `tricks[2]`.
        field: String,
        reason: ImpossibleRound,
    },
    /// A field of the request is missing, out of range, or contradicts another.
    #[error("`{field}` {reason}")]
    Field {
        field: Cow<'static, str>,
        code: FieldCode,
        /// Continues a sentence that starts with the field's name.
        reason: String,
    },
    #[error("`{field}` {refusal}")]
    Name { field: &'static str, refusal: Refusal },
    #[error("`{field}` {error}")]
    Password { field: &'static str, error: PasswordError },
    /// Several fields are wrong, each for its own reason. At least two.
    #[error("{} fields are wrong", .0.len())]
    Several(Vec<Failure>),
    #[error("the cursor belongs to another list")]
    OtherList,
    #[error("the username is taken")]
    UsernameTaken,
    #[error("username or password is wrong")]
    WrongCredentials,
    /// The confirmation password is wrong.
    #[error("the password is wrong")]
    WrongPassword,
    #[error("the account already has credentials")]
    NotAGuest,
    #[error("a guest account has no password")]
    GuestAccount,
    #[error("this operation needs the role {role}")]
    RoleRequired { role: Role },
    /// The caller signed in more than `max_age` seconds ago.
    #[error("this operation needs a sign-in within the last {max_age} seconds")]
    SignInTooOld { max_age: u64 },
    #[error("an admin cannot change their own role")]
    OwnRole,
    #[error("no other account is an admin")]
    LastAdmin,
    #[error(transparent)]
    UnknownRole(#[from] UnknownRole),
    #[error("too many attempts")]
    TooManyAttempts {
        /// The name of the limit.
        limit: &'static str,
        /// Seconds until a retry is allowed.
        retry_after: u64,
    },
    /// The command would be refused, and the caller's refusal budget is empty.
    #[error("too many commands were refused")]
    TooManyRefusals,
    #[error("too many passwords are being checked")]
    HashingOverloaded,
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The session has ended, or the account's role has changed.
    #[error("the session has ended")]
    SessionEnded,
    /// The refresh token is unknown or expired.
    #[error("the refresh token is not valid")]
    RefreshToken,
    /// The refresh token was reused; its session has been ended.
    #[error("the refresh token was used before")]
    RefreshTokenReused,
    /// A log holds an event that this version cannot read.
    #[error("the log of game {game} cannot be read at {seq}: {detail}")]
    UnreadableLog {
        game: GameId,
        /// The first unreadable event.
        seq: u64,
        detail: String,
    },
    /// The log of a game does not verify, or its stored state is not what the log makes.
    #[error("the log does not verify: {finding}")]
    UnsoundLog {
        game: GameId,
        /// The verifier's first finding.
        finding: String,
    },
    /// The public log is older than a checkpoint that was signed: the database was restored, or lost its end.
    #[error("the public log was rolled back: {detail}")]
    LogRolledBack { detail: String },
    /// A new public log cannot be begun, for this reason.
    #[error("{0}")]
    LogOrigin(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Keys(#[from] KeyError),
    #[error("defect: {0}")]
    Defect(String),
}

impl From<NotCanonical> for Failure {
    fn from(error: NotCanonical) -> Failure {
        Failure::Defect(error.to_string())
    }
}

impl From<NotARecordTime> for Failure {
    fn from(error: NotARecordTime) -> Failure {
        Failure::Defect(error.to_string())
    }
}

impl From<SigningFailed> for Failure {
    fn from(error: SigningFailed) -> Failure {
        Failure::Defect(error.to_string())
    }
}

impl From<HashError> for Failure {
    fn from(error: HashError) -> Failure {
        Failure::Defect(error.to_string())
    }
}

/// A time as stored: milliseconds since 1970, UTC.
pub(crate) fn milliseconds(time: Timestamp) -> i64 {
    time.as_millisecond()
}

pub(crate) fn stored_id(text: &str) -> Result<Uuid, Failure> {
    text.parse().map_err(|_| Failure::Defect(format!("{text:?} is no id")))
}
