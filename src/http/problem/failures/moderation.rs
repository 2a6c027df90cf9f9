//! Problems of reports, appeals and the desk.

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
            ModerationFailure::Protected => new(ProblemCode::AccountProtected),
            ModerationFailure::LastAdmin => new(ProblemCode::LastAdmin),
            ModerationFailure::NoEmailAddress => new(ProblemCode::NoEmailAddress),
            ModerationFailure::NoSecondStep => new(ProblemCode::NoSecondStep),
            ModerationFailure::Decided => new(ProblemCode::ReportDecided),
        }
    }
}
