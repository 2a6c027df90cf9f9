//! Problems of identities.

use actix_web::http::header::RETRY_AFTER;

use super::described;
use crate::http::problem::{Problem, ProblemCode};
use estimation_service::identities::failure::IdentityFailure;

/// Seconds after which what an issuer publishes is fetched again.
const ISSUER_PAUSE: &str = "60";

impl From<IdentityFailure> for Problem {
    fn from(failure: IdentityFailure) -> Problem {
        let new = |code| described(code, &failure);
        match failure {
            IdentityFailure::Common(failure) => failure.into(),
            IdentityFailure::Auth(failure) => failure.into(),
            IdentityFailure::Account(failure) => failure.into(),
            IdentityFailure::IdToken(fault) => new(ProblemCode::IdTokenInvalid { reason: fault }),
            IdentityFailure::Nonce => new(ProblemCode::NonceInvalid),
            IdentityFailure::AuthorizationCode => new(ProblemCode::AuthorizationCodeInvalid),
            IdentityFailure::IssuerUnavailable => {
                new(ProblemCode::IssuerUnavailable).header(RETRY_AFTER, ISSUER_PAUSE)
            }
            IdentityFailure::Taken => new(ProblemCode::IdentityTaken),
            IdentityFailure::TooMany => new(ProblemCode::TooManyIdentities),
            IdentityFailure::LastWayIn => new(ProblemCode::LastWayIn),
        }
    }
}
