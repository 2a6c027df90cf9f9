//! Errors of a run. Each makes the run fail.

use thiserror::Error;

use super::client::Answer;
use super::request::Call;

/// An error of a run.
#[derive(Debug, Error)]
pub(super) enum DriveError {
    /// A command from `legal` was refused.
    #[error("refused although it was listed: {0}")]
    Refused(Exchange),
    /// A response that does not match the request.
    #[error("unexpected: {0}")]
    Unexpected(Exchange),
    /// A response that cannot be parsed.
    #[error("unreadable: {cause}: {exchange}")]
    Unreadable {
        /// The parse error.
        cause: String,
        /// The request and response.
        exchange: Exchange,
    },
    /// The service did not respond within the retry budget.
    #[error("no answer to {request}: {cause}")]
    Unreachable {
        request: String,
        /// The last error.
        cause: String,
    },
    /// A response contradicts an earlier one.
    #[error("game {game}: {what}")]
    Contradiction {
        game: String,
        /// The contradiction.
        what: String,
    },
    /// The acknowledged commands cannot be written.
    #[error("cannot write the acknowledged commands: {0}")]
    Ledger(#[from] std::io::Error),
}

/// A request and its response, as text for people.
#[derive(Debug, Error)]
#[error("{request} -> {status} {answer}")]
pub(super) struct Exchange {
    request: String,
    status: u16,
    answer: String,
}

/// The maximum length of a body in a report.
const LONGEST_SHOWN: usize = 2000;

impl Exchange {
    pub(super) fn new(call: Call<'_>, answer: &Answer) -> Exchange {
        Exchange { request: described(call), status: answer.status, answer: shortened(answer.text()) }
    }
}

impl DriveError {
    pub(super) fn contradiction(game: &str, what: impl Into<String>) -> DriveError {
        DriveError::Contradiction { game: game.to_owned(), what: what.into() }
    }
}

/// A request without its secrets.
pub(super) fn described(call: Call<'_>) -> String {
    let body = call.body.filter(|_| call.bearer.is_some());
    let body = body.map(|body| format!(" {}", String::from_utf8_lossy(body))).unwrap_or_default();
    shortened(format!("{} {}{body}", call.method, call.path))
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_SHOWN {
        let end = (0..=LONGEST_SHOWN).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}
