//! Problems of the public log.

use super::later;
use crate::http::problem::{Problem, ProblemCode};
use estimation_service::public_log::failure::LogFailure;

impl From<LogFailure> for Problem {
    fn from(failure: LogFailure) -> Problem {
        match failure {
            LogFailure::Common(failure) => failure.into(),
            LogFailure::Auth(failure) => failure.into(),
            LogFailure::Unconfirmed { .. } => later(ProblemCode::GameBusy, &failure),
            LogFailure::RolledBack { .. }
            | LogFailure::TimeAhead { .. }
            | LogFailure::StartOverdue { .. }
            | LogFailure::Command(_) => Problem::defect(failure),
        }
    }
}
