//! Why a use case of accounts fails.

use thiserror::Error;

use crate::auth::failure::AuthFailure;
use crate::auth::passwords::PasswordError;
use crate::base::failure::{Failure, conversions};
use crate::base::field_error::{Fault, Faults, FieldCode, FieldError};
use crate::base::names::NameFault;
use crate::games::failure::GameFailure;
use estimation_record::RecordTime;

#[derive(Debug, Error)]
pub enum AccountFailure {
    #[error(transparent)]
    Common(#[from] Failure),
    #[error(transparent)]
    Auth(AuthFailure),
    #[error(transparent)]
    Game(GameFailure),
    /// The chosen names or password may not be chosen.
    #[error(transparent)]
    Fields(#[from] Faults<AccountFault>),
    #[error("the username is taken")]
    UsernameTaken,
    /// The confirmation password is wrong.
    #[error("the password is wrong")]
    WrongPassword,
    #[error("no account has this recovery code or link")]
    WrongRecoveryCode,
    #[error("the account already has credentials")]
    NotAGuest,
    #[error("the account has no password")]
    GuestAccount,
    #[error("an admin cannot change their own role")]
    OwnRole,
    #[error("no other account is an admin")]
    LastAdmin,
    #[error("the account has a second step already")]
    SecondStepSetUp,
    #[error("the account has no second step")]
    NoSecondStep,
    /// The code of the second step is wrong, or was used before.
    #[error("the code of the second step is wrong")]
    WrongSecondStep,
    /// The link of a mail is unknown, has expired or was used.
    #[error("the link does not work")]
    Link,
    /// A link works from this time on.
    #[error("the link does not work yet")]
    LinkTooEarly { works_at: RecordTime },
    /// A deleted account with this identity or address was banned. `None` for no end.
    #[error("an account with this identity or address was banned")]
    Banned { until: Option<RecordTime> },
}

conversions!(AccountFailure, Auth(AuthFailure), Game(GameFailure));

/// A name or a password that may not be chosen.
#[derive(Debug, Error)]
pub enum AccountFault {
    #[error(transparent)]
    Name(#[from] NameFault),
    #[error("`{field}` {error}")]
    Password { field: &'static str, error: PasswordError },
}

impl Fault for AccountFault {
    fn field_error(&self) -> FieldError {
        match self {
            AccountFault::Name(fault) => fault.field_error(),
            AccountFault::Password { field, error } => {
                let code = match error {
                    PasswordError::TooShort { .. } => FieldCode::TooShort,
                    PasswordError::TooLong => FieldCode::TooLong,
                    PasswordError::Common => FieldCode::TooCommon,
                    PasswordError::Username => FieldCode::SameAsUsername,
                };
                FieldError::new(*field, code, &error.to_string())
            }
        }
    }
}

impl From<AccountFault> for AccountFailure {
    fn from(fault: AccountFault) -> AccountFailure {
        AccountFailure::Fields(fault.into())
    }
}

impl From<NameFault> for AccountFailure {
    fn from(fault: NameFault) -> AccountFailure {
        AccountFault::from(fault).into()
    }
}
