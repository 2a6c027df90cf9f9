//! Why authentication fails.

use thiserror::Error;

use super::keys::KeyError;
use super::passwords::HashError;
use super::tokens::{Role, SigningFailed, TokenError};
use crate::base::failure::{Failure, conversions};
use estimation_record::RecordTime;

#[derive(Debug, Error)]
pub enum AuthFailure {
    #[error(transparent)]
    Common(#[from] Failure),
    #[error("username or password is wrong")]
    WrongCredentials,
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
    #[error("this operation needs the role {role}")]
    RoleRequired { role: Role },
    /// The account or its role has a second step, and the session has not passed it.
    #[error("this operation needs the second step")]
    SecondStepRequired {
        /// Whether the account has one. If not, it must set one up.
        set_up: bool,
        /// The most seconds since the session passed it; `None` if any time will do.
        max_age: Option<u64>,
    },
    /// A moderator suspended or banned the account. `None` for no end.
    #[error("a moderator suspended the account")]
    Suspended { until: Option<RecordTime> },
    /// A moderator muted the account. `None` for no end.
    #[error("a moderator muted the account")]
    Muted { until: Option<RecordTime> },
    /// The caller signed in more than `max_age` seconds ago.
    #[error("this operation needs a sign-in within the last {max_age} seconds")]
    SignInTooOld { max_age: u64 },
    #[error("too many attempts")]
    TooManyAttempts {
        /// The name of the limit.
        limit: &'static str,
        /// Seconds until a retry is allowed.
        retry_after: u64,
    },
    #[error("too many passwords are being checked")]
    HashingOverloaded,
    #[error(transparent)]
    Keys(#[from] KeyError),
}

conversions!(AuthFailure);

impl From<SigningFailed> for AuthFailure {
    fn from(error: SigningFailed) -> AuthFailure {
        Failure::Defect(error.to_string()).into()
    }
}

impl From<HashError> for AuthFailure {
    fn from(error: HashError) -> AuthFailure {
        Failure::Defect(error.to_string()).into()
    }
}
