//! The errors of a game. Each makes the run fail.

use thiserror::Error;

use crate::http::{Answer, Call};

/// The sentence that says what went wrong in a game.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct DriveError(String);

/// The maximum length of a body in a report.
const LONGEST_SHOWN: usize = 2000;

impl DriveError {
    /// A response that does not match the request, such as the refusal of a listed command.
    pub fn unexpected(answer: &Answer) -> DriveError {
        DriveError(format!("unexpected: {}", described(answer)))
    }

    /// A response that cannot be parsed.
    pub fn unreadable(answer: &Answer, cause: impl ToString) -> DriveError {
        DriveError(format!("unreadable: {}: {}", cause.to_string(), described(answer)))
    }

    /// The service did not respond within the retry budget.
    pub fn unreachable(call: &Call, cause: &str) -> DriveError {
        DriveError(format!("no answer to {}: {cause}", request(call)))
    }

    /// A response contradicts an earlier one.
    pub fn contradiction(game: &str, what: impl ToString) -> DriveError {
        DriveError(format!("game {game}: {}", what.to_string()))
    }
}

/// A request and its response, as text for people.
pub fn described(answer: &Answer) -> String {
    format!("{} -> {} {}", request(&answer.call), answer.status, shortened(&answer.body))
}

/// A request without its secrets.
fn request(call: &Call) -> String {
    let line = format!("{} {}", call.method, call.path);
    let body = call.body.as_ref().filter(|_| call.bearer.is_some());
    body.map_or(line.clone(), |body| format!("{line} {}", shortened(body)))
}

fn shortened(body: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&body[..body.len().min(LONGEST_SHOWN)]);
    format!("{shown}{}", if body.len() > LONGEST_SHOWN { "…" } else { "" })
}
