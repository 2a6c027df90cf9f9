//! Problems of the public log.

use crate::http::problem::Problem;
use estimation_service::public_log::failure::LogFailure;

impl From<LogFailure> for Problem {
    fn from(failure: LogFailure) -> Problem {
        match failure {
            LogFailure::Common(failure) => failure.into(),
            LogFailure::Auth(failure) => failure.into(),
            // Background jobs and commands of the operator alone meet these.
            LogFailure::RolledBack { .. }
            | LogFailure::Unconfirmed { .. }
            | LogFailure::TimeAhead { .. }
            | LogFailure::StartOverdue { .. }
            | LogFailure::Command(_) => Problem::defect(failure),
        }
    }
}
