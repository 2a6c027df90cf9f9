//! How a check of the log ends: what was found, and the exit status.

use std::fmt::Display;
use std::process::ExitCode;

use thiserror::Error;

use crate::Failed;
use crate::terminal::{finish as finish_failed, print_line};

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
    /// Something is missing, damaged or too old. Nobody is convicted by it.
    #[error("not checked: {0}")]
    Unchecked(String),
}

/// What a check says: lines of facts, and problems.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) lines: Vec<String>,
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

    fn print(&self) -> Result<(), Failed> {
        self.lines.iter().try_for_each(print_line)?;
        self.problems.iter().try_for_each(print_line)?;
        print_line(match (self.is_tampered(), self.problems.is_empty()) {
            (true, _) => "tampered with",
            (false, false) => "not checked completely",
            (false, true) => "all is well",
        })
    }
}

/// Prints the findings, and returns the exit status.
pub(super) fn finish(done: Result<Findings, Problem>) -> ExitCode {
    let findings = done.unwrap_or_else(|problem| Findings { lines: Vec::new(), problems: vec![problem] });
    if let Err(error) = findings.print() {
        return finish_failed("estimation-audit", Err(error));
    }
    match (findings.is_tampered(), findings.problems.is_empty()) {
        (true, _) => ExitCode::from(TAMPERED),
        (false, false) => ExitCode::from(UNCHECKED),
        (false, true) => ExitCode::SUCCESS,
    }
}
