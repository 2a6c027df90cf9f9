//! Problems of table talk.

use actix_web::http::header::RETRY_AFTER;

use super::described;
use crate::http::problem::{Problem, ProblemCode};
use estimation_service::talk::failure::TalkFailure;

impl From<TalkFailure> for Problem {
    fn from(failure: TalkFailure) -> Problem {
        let too_many = || described(ProblemCode::TooManyRequests { policy: "reactions" }, &failure);
        match failure {
            TalkFailure::Game(failure) => failure.into(),
            TalkFailure::Off => described(ProblemCode::TableSilent, &failure),
            TalkFailure::TooFast { retry_after } => too_many().header(RETRY_AFTER, retry_after.to_string()),
            // The end of the round is not known.
            TalkFailure::TooMany { .. } => too_many().header(RETRY_AFTER, "30"),
        }
    }
}
