//! Names and passwords that may not be chosen.

use thiserror::Error;

use crate::auth::passwords::PasswordError;
use crate::base::failure::{Failure, Fault, Faults};
use crate::base::field_error::{FieldCode, FieldError, FieldErrors};
use crate::base::names::NameFault;

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

    fn failure(self, errors: FieldErrors) -> Failure {
        match self {
            AccountFault::Name(fault) => fault.failure(errors),
            AccountFault::Password { field, error } => match error {
                PasswordError::TooShort { .. } => Failure::PasswordTooShort { errors, field },
                PasswordError::TooLong => Failure::PasswordTooLong { errors, field },
                PasswordError::Common => Failure::PasswordCommon { errors, field },
                PasswordError::Username => Failure::PasswordIsUsername { errors, field },
            },
        }
    }
}

impl From<AccountFault> for Failure {
    fn from(fault: AccountFault) -> Failure {
        Faults::from(fault).into()
    }
}
