//! Why an audit does not end well, and the exit status of the program.

use std::process::ExitCode;

use thiserror::Error;

use crate::Failed;
use crate::terminal::ClosedPipe;

/// Why an audit does not end well.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotSound {
    /// Something was changed, left out or made up.
    #[error("{0}")]
    Tampered(String),
    /// The arguments contradict each other.
    #[error("{0}")]
    Usage(String),
    /// Something could not be checked. It convicts nobody.
    #[error("{0}")]
    Unchecked(String),
}

impl NotSound {
    /// The exit status. Clap uses 2 for arguments that it refuses.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            NotSound::Tampered(_) => 1,
            NotSound::Usage(_) => 2,
            NotSound::Unchecked(_) => 3,
        })
    }

    /// Any other error means that something could not be checked.
    pub fn unless_known(error: Failed) -> Failed {
        if error.is::<NotSound>() || error.is::<ClosedPipe>() {
            return error;
        }
        NotSound::Unchecked(error.to_string()).into()
    }
}
