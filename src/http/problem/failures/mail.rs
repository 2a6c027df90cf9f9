//! Problems of mail.

use super::described;
use crate::http::problem::{Problem, ProblemCode};
use estimation_service::mail::failure::MailFailure;

impl From<MailFailure> for Problem {
    fn from(failure: MailFailure) -> Problem {
        match failure {
            MailFailure::Common(failure) => failure.into(),
            MailFailure::Auth(failure) => failure.into(),
            MailFailure::Account(failure) => failure.into(),
            MailFailure::Off => described(ProblemCode::MailOff, &failure),
        }
    }
}
