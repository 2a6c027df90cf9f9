//! Problems of reports and appeals.

use super::described;
use crate::http::problem::{Problem, ProblemCode};
use estimation_service::moderation::failure::ModerationFailure;

impl From<ModerationFailure> for Problem {
    fn from(failure: ModerationFailure) -> Problem {
        let new = |code| described(code, &failure);
        match failure {
            ModerationFailure::Common(failure) => failure.into(),
            ModerationFailure::Auth(failure) => failure.into(),
            ModerationFailure::Game(failure) => failure.into(),
            ModerationFailure::ReportedAlready => new(ProblemCode::ReportedAlready),
            ModerationFailure::AppealedAlready => new(ProblemCode::AppealPending),
            ModerationFailure::NothingToAppeal => new(ProblemCode::NothingToAppeal),
            // Only the command line decides.
            ModerationFailure::Decided => Problem::defect(failure),
        }
    }
}
