//! Errors of a run. Each makes the run fail.

use thiserror::Error;

use crate::http::{Answer, Call};

/// An error of a run.
#[derive(Debug, Error)]
pub(super) enum DriveError {
    /// A command from `legal` was refused. Holds the request and its response.
    #[error("refused although it was listed: {0}")]
    Refused(String),
    /// A response that does not match the request.
    #[error("unexpected: {0}")]
    Unexpected(String),
    /// A response that cannot be parsed.
    #[error("unreadable: {cause}: {exchange}")]
    Unreadable { cause: String, exchange: String },
    /// The service did not respond within the retry budget.
    #[error("no answer to {request}: {cause}")]
    Unreachable { request: String, cause: String },
    /// A response contradicts an earlier one.
    #[error("game {game}: {what}")]
    Contradiction { game: String, what: String },
    /// The acknowledged commands cannot be written.
    #[error("cannot write the acknowledged commands: {0}")]
    Ledger(#[from] std::io::Error),
}

/// The maximum length of a body in a report.
const LONGEST_SHOWN: usize = 2000;

impl DriveError {
    pub(super) fn unexpected(answer: &Answer) -> DriveError {
        DriveError::Unexpected(described(answer))
    }

    pub(super) fn unreadable(answer: &Answer, cause: impl ToString) -> DriveError {
        DriveError::Unreadable { cause: cause.to_string(), exchange: described(answer) }
    }

    pub(super) fn unreachable(call: &Call, cause: String) -> DriveError {
        DriveError::Unreachable { request: request(call), cause }
    }

    pub(super) fn contradiction(game: &str, what: impl Into<String>) -> DriveError {
        DriveError::Contradiction { game: game.to_owned(), what: what.into() }
    }
}

/// A request and its response, as text for people.
pub(super) fn described(answer: &Answer) -> String {
    format!("{} -> {} {}", request(&answer.call), answer.status, shortened(&answer.body))
}

/// A request without its secrets.
fn request(call: &Call) -> String {
    let line = format!("{} {}", call.method, String::from_utf8_lossy(&call.path));
    let body = call.body.as_ref().filter(|_| call.bearer.is_some());
    body.map_or(line.clone(), |body| format!("{line} {}", shortened(body)))
}

fn shortened(body: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&body[..body.len().min(LONGEST_SHOWN)]);
    format!("{shown}{}", if body.len() > LONGEST_SHOWN { "…" } else { "" })
}
