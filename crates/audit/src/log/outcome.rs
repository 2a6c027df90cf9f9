//! How a check of the log ends: what was found, and the exit status.

use std::fmt::{self, Display};
use std::process::ExitCode;

use thiserror::Error;

use crate::terminal::{finish, print};

/// The exit status for tampering.
const TAMPERED: u8 = 1;
/// The exit status if a check could not be made. Clap uses 2 for wrong arguments.
const UNCHECKED: u8 = 3;

/// Why a log or a proof is not accepted.
#[derive(Debug, Error)]
pub(super) enum Problem {
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

    /// The exit status: 0, 1 for tampering, or 3 if something could not be checked.
    pub fn status(&self) -> u8 {
        match (self.is_tampered(), self.problems.is_empty()) {
            (true, _) => TAMPERED,
            (false, false) => UNCHECKED,
            (false, true) => 0,
        }
    }

    /// Prints the findings, and returns the exit status.
    pub(super) fn finish(&self) -> ExitCode {
        match print(self) {
            Ok(()) => ExitCode::from(self.status()),
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
        f.write_str(match self.status() {
            0 => "all is well\n",
            TAMPERED => "tampered with\n",
            _ => "not checked completely\n",
        })
    }
}
