//! Problems of authentication.

use actix_web::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};

use super::{challenge, described, later};
use crate::http::problem::{Problem, ProblemCode};
use estimation_service::auth::failure::AuthFailure;
use estimation_service::auth::tokens::TokenError;

impl From<AuthFailure> for Problem {
    fn from(failure: AuthFailure) -> Problem {
        let new = |code| described(code, &failure);
        match failure {
            AuthFailure::Common(failure) => failure.into(),
            AuthFailure::WrongCredentials => challenge(new(ProblemCode::WrongCredentials), None),
            AuthFailure::Token(TokenError::Expired { .. }) => challenge(
                Problem::new(ProblemCode::TokenExpired, "The access token has expired."),
                Some("invalid_token"),
            ),
            AuthFailure::Token(_) => challenge(new(ProblemCode::TokenInvalid), Some("invalid_token")),
            AuthFailure::SessionEnded => challenge(new(ProblemCode::SessionEnded), Some("invalid_token")),
            AuthFailure::RefreshToken => challenge(new(ProblemCode::RefreshTokenInvalid), None),
            AuthFailure::RefreshTokenReused => challenge(new(ProblemCode::RefreshTokenReused), None),
            AuthFailure::RoleRequired { role } => new(ProblemCode::RoleRequired { role }),
            AuthFailure::SecondStepRequired { set_up, max_age } => {
                new(ProblemCode::SecondStepRequired { set_up, max_age })
            }
            AuthFailure::Suspended { until } => new(ProblemCode::Suspended { until }),
            AuthFailure::Muted { until } => new(ProblemCode::Muted { until }),
            // RFC 9470.
            AuthFailure::SignInTooOld { max_age } => new(ProblemCode::RecentSignInRequired { max_age })
                .header(
                    WWW_AUTHENTICATE,
                    format!(
                        "Bearer realm=\"estimation\", error=\"insufficient_user_authentication\", \
                         max_age=\"{max_age}\""
                    ),
                ),
            AuthFailure::TooManyAttempts { limit, retry_after } => {
                new(ProblemCode::TooManyAttempts { policy: limit })
                    .header(RETRY_AFTER, retry_after.to_string())
            }
            // Clients that flood the service get this answer, so it has no cause in the log.
            AuthFailure::HashingOverloaded => later(ProblemCode::Unavailable { reason: None }, &failure),
            AuthFailure::Keys(error) => Problem::defect(error),
        }
    }
}
