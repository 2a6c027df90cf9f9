//! Problems (RFC 9457): the one form of every answer that is not a success.

mod failures;
mod rejections;
mod render;
mod table;

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderName;
use actix_web::{HttpResponse, ResponseError};

pub(super) use failures::challenge;
pub(super) use render::response;
pub use render::{DETAIL_LENGTH, MEDIA_TYPE, body};
pub use table::{PROBLEMS, ProblemCode, ProblemType};

use super::language::Language;

/// An answer that is not a success. Rendered by the middleware, which knows the request.
#[derive(Debug)]
pub struct Problem {
    /// Boxed, since results carry problems by value.
    pub code: Box<ProblemCode>,
    /// What is wrong this time, as an English sentence. The answer has it if the locales have no text for the code.
    pub detail: String,
    pub headers: Vec<(HeaderName, String)>,
    /// The cause, for the log alone.
    pub cause: Option<String>,
    /// Whether a 404 hides something that exists. Only the security log tells.
    pub withheld: bool,
    /// Whether a 5xx is about the data of one game, and everything else works.
    pub of_one_game: bool,
}

impl Problem {
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Problem {
        Problem {
            code: Box::new(code),
            detail: detail.into(),
            headers: Vec::new(),
            cause: None,
            withheld: false,
            of_one_game: false,
        }
    }

    /// A defect of this program. Only the log has the cause.
    pub fn defect(cause: impl ToString) -> Problem {
        Problem::new(ProblemCode::InternalError, "Something went wrong here.").because(cause)
    }

    /// 404 for a path that no operation and no document has.
    pub(super) fn no_such_path() -> Problem {
        Problem::new(ProblemCode::NotFound { what: "path" }, "There is nothing at this path.")
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

    pub fn status(&self) -> u16 {
        self.code.kind().status
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.kind().code, self.detail)
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
