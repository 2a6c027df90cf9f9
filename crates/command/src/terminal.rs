//! Printing, exit status and flag values, shared by the project's command lines.
//!
//! Only this module prints to the standard output and error. The reader may close the pipe at any time, as
//! `head` does. `print!` panics then; these functions do not.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};

use super::Failed;

/// The reader closed the standard output. The program ends silently, as if by SIGPIPE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the output is closed")]
pub struct ClosedPipe;

/// Prints a text without a newline.
///
/// # Errors
/// [`ClosedPipe`], or why the text cannot be written.
pub fn print(text: impl Display) -> Result<(), Failed> {
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
/// As [`print()`].
pub fn print_line(line: impl Display) -> Result<(), Failed> {
    print(format_args!("{line}\n"))
}

/// Prints a line to the standard error. Ignores a closed standard error.
pub fn print_error(line: impl Display) {
    let _ignored = writeln!(stderr().lock(), "{line}");
}

/// The exit status that shells report for a program ended by SIGPIPE.
const CLOSED_PIPE: u8 = 128 + 13;

/// Prints why a program failed, and returns its exit status: what `status` says of the error, or 1.
pub fn finish(
    program: &str,
    done: Result<(), Failed>,
    status: impl FnOnce(&Failed) -> Option<ExitCode>,
) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<ClosedPipe>() => ExitCode::from(CLOSED_PIPE),
        Err(error) => {
            print_error(format_args!("{program}: {error}"));
            status(&error).unwrap_or(ExitCode::FAILURE)
        }
    }
}

/// The version of a program, for people. A release names its commit and its tools, which `release.sh` tells; any other build
/// says that it is none.
pub fn version(number: &str) -> String {
    match (option_env!("ESTIMATION_COMMIT"), option_env!("ESTIMATION_BUILT_WITH")) {
        (Some(commit), Some(tools)) => format!("{number} (commit {commit}, {tools})"),
        _ => format!("{number} (not a release)"),
    }
}

/// Parses a share: a number from 0 to 1.
///
/// # Errors
/// For other texts, what was expected.
pub fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "a number from 0 to 1".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a number from 0 to 1".to_owned()) }
}

/// A progress bar over games on the standard error, if that is a terminal: indicatif draws on no other.
pub fn progress(games: u64) -> ProgressBar {
    let bar = ProgressBar::new(games);
    let style = "{bar:40} {pos}/{len} games, {per_sec}, {eta} left, {msg}";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    bar
}

/// A progress bar over bytes on the standard error, if that is a terminal.
pub fn progress_bytes(bytes: u64) -> ProgressBar {
    let bar = ProgressBar::new(bytes);
    if let Ok(style) =
        ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left")
    {
        bar.set_style(style);
    }
    bar
}
