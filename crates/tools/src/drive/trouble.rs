//! What can go wrong with a drive. Each is a reason to end with a failure.

use thiserror::Error;

use super::client::{Answer, Call};

/// What went wrong.
#[derive(Debug, Error)]
pub(super) enum Trouble {
    /// A command that stood in `legal` was refused.
    #[error("refused although it was listed: {0}")]
    Refused(Exchange),
    /// An answer that does not belong to the request.
    #[error("unexpected: {0}")]
    Unexpected(Exchange),
    /// An answer that cannot be read.
    #[error("unreadable: {cause}: {exchange}")]
    Unreadable {
        /// What is wrong with it.
        cause: String,
        /// What was asked and answered.
        exchange: Exchange,
    },
    /// The service did not answer for as long as there was patience.
    #[error("no answer to {request}: {cause}")]
    Unreachable {
        /// What was asked.
        request: String,
        /// What happened instead, the last time.
        cause: String,
    },
    /// What the service said contradicts what it said before.
    #[error("game {game}: {what}")]
    Contradiction {
        game: String,
        /// What does not fit.
        what: String,
    },
    /// The acknowledged commands cannot be written down.
    #[error("cannot write the acknowledged commands: {0}")]
    Ledger(#[from] std::io::Error),
}

/// A request and its answer, for a person to read.
#[derive(Debug, Error)]
#[error("{request} -> {status} {answer}")]
pub(super) struct Exchange {
    request: String,
    status: u16,
    answer: String,
}

/// The longest body that is shown.
const LONGEST_SHOWN: usize = 2000;

impl Exchange {
    pub(super) fn new(call: Call<'_>, answer: &Answer) -> Exchange {
        Exchange { request: described(call), status: answer.status, answer: shortened(answer.text()) }
    }
}

impl Trouble {
    pub(super) fn contradiction(game: &str, what: impl Into<String>) -> Trouble {
        Trouble::Contradiction { game: game.to_owned(), what: what.into() }
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
