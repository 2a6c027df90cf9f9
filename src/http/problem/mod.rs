//! Problems (RFC 9457): the one form of every answer that is not a success. Their codes, members and texts are in the table of
//! refusals (`base/failure/table.rs` of the service); this module adds headers, and says what only the log may tell.

mod render;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};

pub use estimation_service::base::failure::{Failure, PROBLEMS, ProblemType};
pub(super) use render::response;
pub use render::{DETAIL_LENGTH, MEDIA_TYPE, body};

use super::language::Language;
use estimation_service::base::failure::StoreError;
use estimation_service::public_log::failure::LogFailure;

/// An answer that is not a success. Rendered by the middleware, which knows the request.
#[derive(Debug)]
pub struct Problem {
    /// Boxed, since results carry problems by value.
    pub failure: Box<Failure>,
    /// What is wrong this time, as an English sentence. The answer has it if the table has no text for the code.
    pub detail: Option<String>,
    pub headers: Vec<(HeaderName, String)>,
    /// The cause, for the log alone.
    pub cause: Option<String>,
    /// Whether a 404 hides something that exists. Only the security log tells.
    pub withheld: bool,
    /// Whether a 5xx is about the data of one game, and everything else works.
    pub of_one_game: bool,
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        let (detail, cause) = match &failure {
            // Clients that flood the service get this answer, so it has no cause in the log.
            Failure::HashingOverloaded => (Some(failure.to_string()), None),
            Failure::UnreadableLog { .. }
            | Failure::UnsoundLog { .. }
            | Failure::Store(_)
            | Failure::Keys(_)
            | Failure::Defect(_) => {
                (Some("The service cannot do that at the moment.".to_owned()), Some(failure.to_string()))
            }
            _ => (None, None),
        };
        Problem {
            detail,
            headers: headers(&failure),
            cause,
            withheld: matches!(failure, Failure::Withheld { .. } | Failure::Blocked),
            // One game's data is damaged; the others go on.
            of_one_game: matches!(
                failure,
                Failure::UnreadableLog { .. }
                    | Failure::UnsoundLog { .. }
                    | Failure::Store(StoreError::Corrupt { .. } | StoreError::NewerGame { .. })
            ),
            failure: Box::new(failure),
        }
    }
}

impl From<LogFailure> for Problem {
    fn from(failure: LogFailure) -> Problem {
        Failure::from(failure).into()
    }
}

/// The headers that a failure asks for.
fn headers(failure: &Failure) -> Vec<(HeaderName, String)> {
    let status = failure.kind().status;
    let retry_after = match failure {
        Failure::TooManyRequests { retry_after, .. }
        | Failure::TooManyAttempts { retry_after, .. }
        | Failure::OpeningsMissed { retry_after, .. } => Some(*retry_after),
        // After that time, what an issuer publishes is fetched again.
        Failure::IssuerUnavailable => Some(60),
        Failure::RequestInProgress | Failure::TooManyStreams => Some(1),
        _ => (status == 503).then_some(1),
    };
    // RFC 6750; RFC 9470.
    let challenge = (status == 401).then(|| match failure {
        Failure::TokenExpired | Failure::TokenInvalid | Failure::SessionEnded => {
            ", error=\"invalid_token\"".to_owned()
        }
        Failure::RecentSignInRequired { max_age } => {
            format!(", error=\"insufficient_user_authentication\", max_age=\"{max_age}\"")
        }
        _ => String::new(),
    });
    let retry_after = retry_after.map(|seconds| (RETRY_AFTER, seconds.to_string()));
    let challenge = challenge.map(|error| (WWW_AUTHENTICATE, format!("Bearer realm=\"estimation\"{error}")));
    retry_after.into_iter().chain(challenge).collect()
}

impl Problem {
    /// A problem with a detail of its own, for a code without an English text.
    pub fn new(failure: Failure, detail: impl Into<String>) -> Problem {
        Problem { detail: Some(detail.into()), ..failure.into() }
    }

    /// A defect of this program. Only the log has the cause.
    pub fn defect(cause: impl ToString) -> Problem {
        Problem::from(Failure::InternalError).because(cause)
    }

    /// 404 for a path that no operation and no document has.
    pub(super) fn no_such_path() -> Problem {
        Failure::NotFound { what: "path" }.into()
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: impl Into<String>) -> Problem {
        self.headers.push((name, value.into()));
        self
    }

    /// Adds the cause, which only the log has.
    #[must_use]
    pub fn because(mut self, cause: impl ToString) -> Problem {
        self.cause = Some(cause.to_string());
        self
    }

    /// Whether the node itself failed. Clients cannot cause that by what they ask.
    pub(super) fn is_outage(&self) -> bool {
        self.status() >= 500 && self.cause.is_some() && !self.of_one_game
    }

    /// The problem for a request that had changed something before it failed; none where this problem does not
    /// claim that nothing was changed.
    pub(super) fn after_a_change(&self) -> Option<Problem> {
        let claims = self.failure.kind() == Failure::Unavailable { reason: None }.kind();
        claims.then(|| Problem { cause: self.cause.clone(), ..Failure::OutcomeUnknown.into() })
    }

    pub fn status(&self) -> u16 {
        self.failure.kind().status
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.failure.kind().code, self.failure.detail())
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn error_response(&self) -> HttpResponse {
        render::response(self, Language::English, None, None)
    }
}
