//! Why a use case fails: [`Failure`], made from the table of refusals in `table.rs`. A row of it is a code with its status,
//! its data, and its texts; `http` turns it into a problem (RFC 9457), a schema and a page.

mod faults;
mod table;

use std::error::Error;
use std::fmt::{self, Display};

use jiff::Timestamp;
use serde_json::{Map, Value};

pub use self::faults::{Fault, Faults, FieldFault};
pub use self::table::{Failure, PROBLEMS};
use super::locale::Language;
use estimation_engine::rejection::Rejection;
use estimation_record::{NotARecordTime, NotCanonical};
pub use estimation_store::StoreError;
use estimation_store::UnitError;

/// A row of the table: a kind of problem, as it is published.
#[derive(Debug, PartialEq, Eq)]
pub struct ProblemType {
    pub code: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// What it means and what to do about it, in English.
    pub about: &'static str,
    /// The members it always has beside the standard ones.
    pub members: &'static [&'static str],
    /// The members it may have as well.
    pub perhaps: &'static [&'static str],
    english: ProblemText,
    arabic: ProblemText,
}

/// The texts of a kind of problem in one language.
#[derive(Debug, PartialEq, Eq)]
pub struct ProblemText {
    pub title: &'static str,
    /// One sentence, with members of the problem in braces; `None` where the detail depends on the case.
    pub detail: Option<&'static str>,
}

impl ProblemType {
    pub fn text(&self, language: Language) -> &ProblemText {
        match language {
            Language::English => &self.english,
            Language::Arabic => &self.arabic,
        }
    }

    /// The detail in this language, with the members that it names; `None` where it depends on the case.
    pub fn detail(&self, language: Language, members: &Map<String, Value>) -> Option<String> {
        let text = self.text(language).detail?;
        Some(members.iter().fold(text.to_owned(), |text, (name, value)| {
            let name = format!("{{{name}}}");
            if text.contains(&name) { text.replace(&name, &plain(value)) } else { text }
        }))
    }
}

/// A member in a sentence.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

impl Failure {
    /// Whether the database was not available: the same may succeed later.
    pub(crate) fn is_unavailable(&self) -> bool {
        self.store_error().is_some_and(StoreError::is_unavailable)
    }

    /// What is wrong, as an English sentence that may be published: the text of the row, the faulty fields, or the title.
    pub fn detail(&self) -> String {
        let (kind, members) = (self.kind(), self.members());
        let sentences = |errors: &Value| -> Option<String> {
            let sentences: Option<Vec<&str>> =
                errors.as_array()?.iter().map(|error| error["detail"].as_str()).collect();
            Some(sentences?.join(" "))
        };
        kind.detail(Language::English, &members)
            .or_else(|| members.get("errors").and_then(sentences))
            .unwrap_or_else(|| format!("{}.", kind.text(Language::English).title))
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::HashingOverloaded => f.write_str("Too many passwords are being checked."),
            Failure::UnreadableLog { game, seq, detail } => {
                write!(f, "the log of game {game} cannot be read at {seq}: {detail}")
            }
            Failure::UnsoundLog { finding, .. } => write!(f, "the log does not verify: {finding}"),
            Failure::Store(error) => error.fmt(f),
            Failure::Keys(error) => f.write_str(error),
            Failure::Defect(cause) => write!(f, "defect: {cause}"),
            refusal => f.write_str(&refusal.detail()),
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Failure::Store(error) => error.source(),
            _ => None,
        }
    }
}

impl UnitError for Failure {
    fn store_error(&self) -> Option<&StoreError> {
        match self {
            Failure::Store(error) => Some(error),
            _ => None,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::Store(error)
    }
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Failure {
        Failure::Rejected(rejection)
    }
}

impl From<NotCanonical> for Failure {
    fn from(error: NotCanonical) -> Failure {
        Failure::Defect(error.to_string())
    }
}

impl From<NotARecordTime> for Failure {
    fn from(error: NotARecordTime) -> Failure {
        Failure::Defect(error.to_string())
    }
}

/// A time as stored: milliseconds since 1970, UTC.
pub(crate) fn milliseconds(time: Timestamp) -> i64 {
    time.as_millisecond()
}
