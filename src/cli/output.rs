//! Printing to the standard output and the standard error. Nothing else in the command line prints.
//!
//! The reader may close the pipe at any time, as `head` does. `print!` panics then; these functions do not.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stderr, stdout};

use super::Failed;

/// The reader has closed the standard output. The program ends silently, like one that SIGPIPE ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the output is closed")]
pub(super) struct ClosedPipe;

/// Prints a text as it is.
///
/// # Errors
/// [`ClosedPipe`], or why the text cannot be written.
pub(super) fn print(text: impl Display) -> Result<(), Failed> {
    let mut output = stdout().lock();
    match write!(output, "{text}").and_then(|()| output.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(ClosedPipe.into()),
        Err(error) => Err(format!("the output cannot be written: {error}").into()),
    }
}

/// Prints a line.
///
/// # Errors
/// As [`print`].
pub(super) fn print_line(line: impl Display) -> Result<(), Failed> {
    print(format_args!("{line}\n"))
}

/// Prints a line to the standard error; a closed standard error is ignored.
pub(super) fn print_error(line: impl Display) {
    let _ignored = writeln!(stderr().lock(), "{line}");
}
