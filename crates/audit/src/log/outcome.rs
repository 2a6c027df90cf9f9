//! How a check of the log ends: what was found, and the exit status.

use std::fmt::{self, Display};
use std::process::ExitCode;

use thiserror::Error;

use crate::NotSound;
use crate::Outcome;
use estimation_command::terminal::{finish, print};

/// Why a log or a proof is not accepted.
#[derive(Debug, Error)]
pub(crate) enum Problem {
    /// A contradiction to what the log signed before, or to the history.
    #[error("tampered: {0}")]
    Tampered(String),
    /// Something is missing, damaged or too old, which proves no tampering.
    #[error("not checked: {0}")]
    Unchecked(String),
    /// A pinned witness did not cosign.
    #[error("not cosigned: {0}")]
    Uncosigned(String),
}

/// What a check says: lines of facts, and problems. As text, what the command prints.
#[derive(Debug, Default)]
pub struct Findings {
    lines: Vec<String>,
    pub(super) problems: Vec<Problem>,
    /// Whether it relies on a key that came with the verified file.
    relies_on_file: bool,
}

impl Problem {
    pub(super) fn unchecked(detail: impl Display) -> Problem {
        Problem::Unchecked(detail.to_string())
    }

    pub(super) fn tampered(detail: impl Display) -> Problem {
        Problem::Tampered(detail.to_string())
    }

    /// The cosignature of a pinned witness is missing.
    pub(super) fn uncosigned(witness: impl Display) -> Problem {
        Problem::Uncosigned(format!("{witness} has not signed the note"))
    }

    /// The same problem, with what it is about.
    pub(super) fn of(self, what: &dyn Display) -> Problem {
        match self {
            Problem::Tampered(detail) => Problem::Tampered(format!("{what}: {detail}")),
            Problem::Unchecked(detail) => Problem::Unchecked(format!("{what}: {detail}")),
            Problem::Uncosigned(detail) => Problem::Uncosigned(format!("{what}: {detail}")),
        }
    }
}

impl Findings {
    /// Adds a line.
    pub(super) fn say(&mut self, line: impl Display) {
        self.lines.push(line.to_string());
    }

    /// Adds a line that is not there yet.
    pub(super) fn say_once(&mut self, line: impl Display) {
        let line = line.to_string();
        if !self.lines.contains(&line) {
            self.lines.push(line);
        }
    }

    /// Records that the result relies on a key that came with the verified file.
    pub(super) fn rely_on_file(&mut self) {
        self.relies_on_file = true;
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
        let has = |is_of: fn(&Problem) -> bool| self.problems.iter().any(is_of);
        if self.is_tampered() {
            Outcome::Tampered
        } else if has(|problem| matches!(problem, Problem::Unchecked(_))) {
            Outcome::Unchecked
        } else if has(|problem| matches!(problem, Problem::Uncosigned(_))) {
            Outcome::Uncosigned
        } else if self.relies_on_file {
            Outcome::SoundByOwnKeys
        } else {
            Outcome::Sound
        }
    }

    /// Prints the findings, and returns the exit status.
    pub(super) fn finish(&self) -> ExitCode {
        match print(self) {
            Ok(()) => ExitCode::from(self.outcome().status()),
            Err(error) => finish("estimation-audit", Err(error), NotSound::exit_code),
        }
    }
}

impl From<Problem> for Findings {
    fn from(problem: Problem) -> Findings {
        Findings { problems: vec![problem], ..Findings::default() }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        self.problems.iter().try_for_each(|problem| writeln!(f, "{problem}"))?;
        writeln!(f, "{}", self.outcome().in_words())
    }
}
