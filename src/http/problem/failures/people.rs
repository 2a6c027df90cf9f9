//! Problems of people.

use super::described;
use crate::http::problem::{Problem, ProblemCode};
use estimation_service::people::failure::PeopleFailure;

impl From<PeopleFailure> for Problem {
    fn from(failure: PeopleFailure) -> Problem {
        match failure {
            PeopleFailure::Common(failure) => failure.into(),
            PeopleFailure::Auth(failure) => failure.into(),
            PeopleFailure::Game(failure) => failure.into(),
            PeopleFailure::TooMany { what, limit } => {
                described(ProblemCode::TooManyPeople { limit, what }, &failure)
            }
        }
    }
}
