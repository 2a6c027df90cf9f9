//! What can go wrong in a use case, with the data a client needs; `http` gives each its status.

use std::borrow::Cow;

use jiff::Timestamp;
use thiserror::Error;
use uuid::Uuid;

pub use super::field_error::{FieldCode, FieldError, sentence};
use super::games::published_event::PublishedEvent;
pub use super::names::refusal::Refusal;
use crate::auth::keys::KeyError;
use crate::auth::passwords::HashError;
pub use crate::auth::passwords::PasswordError;
pub use crate::auth::tokens::TokenError;
use crate::auth::tokens::{Role, SigningFailed, UnknownRole};
use crate::engine::rejection::Rejection;
use crate::engine::ruleset::UnknownRuleset;
use crate::engine::ruleset::options::OptionError;
use crate::engine::score::ImpossibleRound;
pub use crate::store::StoreError;
use estimation_record::{NotARecordTime, NotCanonical};

/// Why a use case came to nothing. Nothing has changed.
#[derive(Debug, Error)]
pub enum Failure {
    /// There is no such thing, or it is not the caller's to know of.
    #[error("there is no such {what}")]
    NotFound { what: &'static str },
    /// There is such a thing, but the caller may not know of it. Told like [`Failure::NotFound`]; the log of
    /// security events tells the two apart.
    #[error("there is no such {what}")]
    Withheld { what: &'static str },
    /// The rules of the game or the table refuse it.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The game has moved on from the version the caller saw.
    #[error("the game is at version {current_version}")]
    StaleVersion {
        current_version: u64,
        /// What has happened since, as the caller may see it.
        events: Vec<PublishedEvent>,
    },
    /// The log does not have the event that the caller knows: it was restored, or lost its end.
    #[error("the log does not have that event; it ends at {current_version}")]
    LogReplaced { current_version: u64 },
    #[error("the game is too busy")]
    Busy,
    #[error("the same request is still being done")]
    RequestInProgress,
    #[error("too many streams are open")]
    TooManyStreams,
    #[error("the idempotency key was used with another body")]
    KeyReused,
    #[error("this game has no spectators")]
    SpectatorsBarred,
    /// The account waits to be seated with strangers already.
    #[error("you wait for a table already")]
    WaitsAlready { game: String },
    /// At a table of strangers nobody decides for the others before it begins.
    #[error("strangers are seated at this table by the service")]
    StrangersTable,
    #[error("the table has changed too often before its start: start it, or open another")]
    TableChangedTooOften { limit: u64 },
    /// An account has sat down at a table, or replaced its client seed there, as often as it may.
    #[error("you have sat down or replaced your client seed at this table too often")]
    SatDownTooOften { limit: u64 },
    #[error("the host has {limit} tables in the lobby, which is as many as one may have")]
    TooManyTables { host: String, limit: u32 },
    /// The history of a game is handed out when it is over.
    #[error("the game is not over")]
    NotOver,
    /// The caller has looked at the game as an auditor, and may not sit in it.
    #[error("who has looked at a game as an auditor may not play in it")]
    AuditorBarred,
    /// The ruleset has no such option, or the value is not one of its values.
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(transparent)]
    UnknownRuleset(#[from] UnknownRuleset),
    #[error("{reason}")]
    ImpossibleRound {
        /// The field that shows it, as in `tricks[2]`.
        field: String,
        reason: ImpossibleRound,
    },
    /// A field of the request is missing, out of its range or in contradiction to another.
    #[error("`{field}` {reason}")]
    Field {
        field: Cow<'static, str>,
        code: FieldCode,
        /// What is wrong with it; goes on with the sentence that the field's name begins.
        reason: String,
    },
    #[error("`{field}` {refusal}")]
    Name { field: &'static str, refusal: Refusal },
    #[error("`{field}` {error}")]
    Password { field: &'static str, error: PasswordError },
    /// Several fields of the request are wrong, each for a reason of its own. At least two.
    #[error("{} fields are wrong", .0.len())]
    Several(Vec<Failure>),
    #[error("the cursor is not one of this list")]
    OtherList,
    #[error("the username is taken")]
    UsernameTaken,
    #[error("username or password is wrong")]
    WrongCredentials,
    /// The password that was to confirm something is not the account's.
    #[error("the password is wrong")]
    WrongPassword,
    #[error("the account is not a guest's")]
    NotAGuest,
    #[error("a guest has no password")]
    GuestAccount,
    #[error("that takes the role {role}")]
    RoleRequired { role: Role },
    #[error(transparent)]
    UnknownRole(#[from] UnknownRole),
    #[error("too many attempts")]
    TooManyAttempts {
        /// What was attempted, in a word.
        what: &'static str,
        /// After how many seconds it may be attempted again.
        retry_after: u64,
    },
    /// The command would be refused, and too many of the sender's were.
    #[error("too many commands were refused")]
    TooManyRefusals,
    #[error("too many passwords are being checked")]
    HashingOverloaded,
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The access token's session has ended, or its account has another role by now.
    #[error("the session has ended")]
    SessionEnded,
    /// The refresh token is unknown or its time is over.
    #[error("the refresh token is not valid")]
    RefreshToken,
    /// The refresh token was used before; its session has been ended.
    #[error("the refresh token was used before")]
    RefreshTokenReused,
    /// A log holds what this version cannot read; it guesses nothing.
    #[error("the log of game {game} cannot be read at {seq}: {detail}")]
    UnreadableLog {
        game: String,
        /// The first event that cannot be read.
        seq: u64,
        detail: String,
    },
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

/// A time as the store keeps it: milliseconds since 1970, in UTC.
pub(crate) fn milliseconds(time: Timestamp) -> i64 {
    time.as_millisecond()
}

pub(crate) fn stored_id(text: &str) -> Result<Uuid, Failure> {
    text.parse().map_err(|_| Failure::Defect(format!("{text:?} is no id")))
}
