//! Problems (RFC 9457): the one form of every answer that is not a success.

mod failures;
mod rejections;
mod render;
mod table;

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderName;
use actix_web::{HttpResponse, ResponseError};
use serde_json::{Map, Value};

pub(super) use failures::challenge;
pub(super) use render::response;
pub use render::{DETAIL_LENGTH, MEDIA_TYPE, body};
pub use table::{Code, PROBLEMS, described};

use super::language::Language;

/// An answer that is not a success. Rendered by the middleware, which knows the request.
#[derive(Debug)]
pub struct Problem {
    /// Its stable code with title and status.
    pub code: &'static Code,
    /// What is wrong this time, in a sentence.
    pub detail: String,
    /// What a client needs to act on it, beside the standard members.
    pub members: Map<String, Value>,
    /// Headers the status asks for.
    pub headers: Vec<(HeaderName, String)>,
    /// Why it happened, for the log alone.
    pub cause: Option<String>,
    /// Whether there is what was said not to be, for the log of security events alone.
    pub withheld: bool,
}

impl Problem {
    /// A problem of a kind.
    pub fn new(code: &'static str, detail: impl Into<String>) -> Problem {
        let code = described(code);
        let (members, headers) = (Map::new(), Vec::new());
        Problem { code, detail: detail.into(), members, headers, cause: None, withheld: false }
    }

    /// A mistake of this program, whose cause only the log sees.
    pub fn defect(cause: impl ToString) -> Problem {
        Problem::new("internal-error", "Something went wrong here.").because(cause)
    }

    /// The problem with a member more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// The problem with a header more.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: impl Into<String>) -> Problem {
        self.headers.push((name, value.into()));
        self
    }

    /// The problem with its cause, which only the log sees.
    #[must_use]
    pub fn because(mut self, cause: impl ToString) -> Problem {
        self.cause = Some(cause.to_string());
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.code, self.detail)
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.code.status()
    }

    fn error_response(&self) -> HttpResponse {
        render::response(self, Language::English, None, None)
    }
}
