//! Problems of notices.

use super::described;
use crate::http::problem::{Problem, ProblemCode};
use estimation_service::notifications::failure::NotificationFailure;

impl From<NotificationFailure> for Problem {
    fn from(failure: NotificationFailure) -> Problem {
        match failure {
            NotificationFailure::Common(failure) => failure.into(),
            NotificationFailure::Auth(failure) => failure.into(),
            NotificationFailure::Game(failure) => failure.into(),
            NotificationFailure::PushOff => described(ProblemCode::PushOff, &failure),
        }
    }
}
