//! Problems of accounts, their names and their passwords.

use super::{Coded, challenge, described, wrong_fields};
use crate::http::field_errors::FieldErrors;
use crate::http::problem::{Problem, ProblemCode};
use estimation_service::accounts::failure::{AccountFailure, AccountFault};
use estimation_service::auth::passwords::PasswordError;
use estimation_service::base::names::{NameFault, Refusal};

impl From<AccountFailure> for Problem {
    fn from(failure: AccountFailure) -> Problem {
        let new = |code| described(code, &failure);
        match failure {
            AccountFailure::Common(failure) => failure.into(),
            AccountFailure::Auth(failure) => failure.into(),
            AccountFailure::Game(failure) => failure.into(),
            AccountFailure::Fields(faults) => wrong_fields(faults),
            AccountFailure::UsernameTaken => new(ProblemCode::UsernameTaken),
            AccountFailure::WrongPassword => new(ProblemCode::WrongPassword),
            AccountFailure::WrongRecoveryCode => challenge(new(ProblemCode::RecoveryCodeInvalid), None),
            AccountFailure::NotAGuest => new(ProblemCode::NotAGuest),
            AccountFailure::GuestAccount => new(ProblemCode::GuestAccount),
            AccountFailure::OwnRole => new(ProblemCode::OwnRole),
            AccountFailure::LastAdmin => new(ProblemCode::LastAdmin),
            AccountFailure::SecondStepSetUp => new(ProblemCode::SecondStepSetUp),
            AccountFailure::NoSecondStep => new(ProblemCode::NoSecondStep),
            AccountFailure::WrongSecondStep => new(ProblemCode::WrongSecondStep),
            AccountFailure::Link => challenge(new(ProblemCode::LinkInvalid), None),
            AccountFailure::LinkTooEarly { works_at } => new(ProblemCode::LinkTooEarly { works_at }),
            AccountFailure::Banned { until } => new(ProblemCode::Banned { until }),
        }
    }
}

impl Coded for AccountFault {
    fn code(self, errors: FieldErrors) -> ProblemCode {
        match self {
            AccountFault::Name(NameFault { field, refusal }) => name(field, &refusal, errors),
            AccountFault::Password { field, error } => match error {
                PasswordError::TooShort { .. } => ProblemCode::PasswordTooShort { errors, field },
                PasswordError::TooLong => ProblemCode::PasswordTooLong { errors, field },
                PasswordError::Common => ProblemCode::PasswordCommon { errors, field },
                PasswordError::Username => ProblemCode::PasswordIsUsername { errors, field },
            },
        }
    }
}

/// The code of a refused name, with the character that breaks the rule.
fn name(field: &'static str, refusal: &Refusal, errors: FieldErrors) -> ProblemCode {
    let character = refusal.character().unwrap_or_default();
    match refusal {
        Refusal::Character { kind, .. } => {
            ProblemCode::CharacterNotAllowed { errors, field, character, reason: kind.as_str() }
        }
        Refusal::DisplayNameLength { .. } | Refusal::TooWide { .. } | Refusal::UsernameLength { .. } => {
            ProblemCode::InvalidField { errors, field: field.to_owned(), reason: refusal.to_string() }
        }
        Refusal::Marks { .. } => ProblemCode::TooManyMarks { errors, field, character },
        Refusal::Scripts { .. } => ProblemCode::MixedScripts { errors, field, character },
        Refusal::Reserved => ProblemCode::NameReserved { errors, field },
        Refusal::Forbidden => ProblemCode::NameForbidden { errors, field },
    }
}
