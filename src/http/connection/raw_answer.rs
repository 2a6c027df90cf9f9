//! Answers without a request: to a head that is late, malformed or too large, and to a connection above the limit. They are
//! problems in English, and each closes its connection.

use std::fmt::Write;
use std::sync::Arc;
use std::time::SystemTime;

use actix_web::body::MessageBody;
use actix_web::http::header::HttpDate;

use crate::http::language::Language;
use crate::http::problem::{Failure, Problem, response};
use estimation_service::services::App;

/// Writes, counts and logs such answers.
pub(super) struct RawAnswers(pub(super) Arc<App>);

impl RawAnswers {
    /// The answer to a request whose head is late.
    pub(super) fn late_head(&self) -> Vec<u8> {
        self.unreadable(Problem::new(
            Failure::RequestTimeout,
            "The head of the request took too long to arrive.",
        ))
    }

    /// The answer to a connection above the limit. Admission counts and logs those.
    pub(super) fn too_many_connections(&self) -> Vec<u8> {
        self.text(Failure::TooManyConnections.into())
    }

    /// The replacement for an answer that actix-http sends by itself, without a body. None for an unknown status.
    pub(super) fn instead_of(&self, answer: &[u8]) -> Option<Vec<u8>> {
        let status = answer.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
        let problem = match status {
            b"400" => Failure::MalformedRequest,
            b"431" => Failure::HeadTooLarge,
            _ => return None,
        };
        Some(self.unreadable(problem.into()))
    }

    fn unreadable(&self, problem: Problem) -> Vec<u8> {
        let status = problem.status();
        self.0.metrics.unreadable(status);
        tracing::debug!(status, code = problem.failure.kind().code, "malformed request");
        self.text(problem)
    }

    fn text(&self, problem: Problem) -> Vec<u8> {
        let id = self.0.request_ids.next();
        let answer = response(&problem, Language::English, None, Some(&id));
        let date = HttpDate::from(SystemTime::from(self.0.now()));
        let mut text = format!(
            "HTTP/1.1 {}\r\nconnection: close\r\ndate: {date}\r\ncache-control: no-store\r\n\
             x-content-type-options: nosniff\r\nx-request-id: {id}\r\n",
            answer.status(),
        );
        for (name, value) in answer.headers() {
            // Writing to a String cannot fail.
            let _ = write!(text, "{name}: {}\r\n", value.to_str().unwrap_or_default());
        }
        let body = answer.into_body().try_into_bytes().unwrap_or_default();
        let _ = write!(text, "content-length: {}\r\n\r\n", body.len());
        [text.as_bytes(), &body].concat()
    }
}
