//! Why an audit does not end well, and the exit status of the program.

use std::process::ExitCode;

use thiserror::Error;

use crate::Outcome;
use estimation_command::Failed;
use estimation_command::terminal::ClosedPipe;

/// The exit status for arguments that contradict each other, which is also Clap's for those that it refuses.
const USAGE: u8 = 2;

/// Why an audit does not end well.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotSound {
    /// Something was changed, omitted or invented.
    #[error("{0}")]
    Tampered(String),
    /// The arguments contradict each other.
    #[error("{0}")]
    Usage(String),
    /// Something could not be checked, which proves no tampering.
    #[error("{0}")]
    Unchecked(String),
}

impl NotSound {
    /// The exit status of a program that failed with this error; none for an error of another kind.
    pub fn exit_code(error: &Failed) -> Option<ExitCode> {
        let status = match error.downcast_ref()? {
            NotSound::Tampered(_) => Outcome::Tampered.status(),
            NotSound::Usage(_) => USAGE,
            NotSound::Unchecked(_) => Outcome::Unchecked.status(),
        };
        Some(status.into())
    }

    /// Any other error means that something could not be checked.
    pub fn unless_known(error: Failed) -> Failed {
        if error.is::<NotSound>() || error.is::<ClosedPipe>() {
            return error;
        }
        NotSound::Unchecked(error.to_string()).into()
    }
}
