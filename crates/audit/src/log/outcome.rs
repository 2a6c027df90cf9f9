//! How a check of the log ends: what was found, and the exit status.

use std::fmt::{self, Display};
use std::process::ExitCode;

use thiserror::Error;

use crate::Outcome;
use crate::terminal::{finish, print};

/// Why a log or a proof is not accepted.
#[derive(Debug, Error)]
pub(crate) enum Problem {
    /// A contradiction to what the log signed before, or to the history.
    #[error("tampered: {0}")]
    Tampered(String),
    /// Something is missing, damaged or too old, which proves no tampering.
    #[error("not checked: {0}")]
    Unchecked(String),
}

/// What a check says: lines of facts, and problems. As text, what the command prints.
#[derive(Debug, Default)]
pub struct Findings {
    lines: Vec<String>,
    pub(super) problems: Vec<Problem>,
}

impl Problem {
    pub(super) fn unchecked(detail: impl Display) -> Problem {
        Problem::Unchecked(detail.to_string())
    }

    pub(super) fn tampered(detail: impl Display) -> Problem {
        Problem::Tampered(detail.to_string())
    }
}

impl Findings {
    /// Adds a line.
    pub(super) fn say(&mut self, line: impl Display) {
        self.lines.push(line.to_string());
    }

    /// Keeps the problem of a check, if it has one, and goes on.
    pub(super) fn keep<T>(&mut self, checked: Result<T, Problem>) -> Option<T> {
        checked.map_err(|problem| self.problems.push(problem)).ok()
    }

    /// Whether something was tampered with.
    pub(super) fn is_tampered(&self) -> bool {
        self.problems.iter().any(|problem| matches!(problem, Problem::Tampered(_)))
    }

    /// The result.
    pub fn outcome(&self) -> Outcome {
        Outcome::of(self.problems.is_empty(), self.is_tampered())
    }

    /// Prints the findings, and returns the exit status.
    pub(super) fn finish(&self) -> ExitCode {
        match print(self) {
            Ok(()) => ExitCode::from(self.outcome().status()),
            Err(error) => finish("estimation-audit", Err(error)),
        }
    }
}

impl From<Problem> for Findings {
    fn from(problem: Problem) -> Findings {
        Findings { lines: Vec::new(), problems: vec![problem] }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        self.problems.iter().try_for_each(|problem| writeln!(f, "{problem}"))?;
        writeln!(f, "{}", self.outcome().in_words())
    }
}
