//! The state file: what a node knows of the log outside the database, so that it notices a database that went back.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use estimation_store::PostgresServer;
use estimation_tlog::Checkpoint;
use thiserror::Error;

use crate::base::failure::Failure;
use crate::public_log::failure::LogFailure;

/// The name of the line about the server.
const SERVER: &str = "postgres ";

/// The largest checkpoint that a node has seen, and the database that had it. As text: the three lines of the checkpoint,
/// and on PostgreSQL `postgres`, the system identifier, the timeline and the number of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogState {
    pub checkpoint: Checkpoint,
    /// None on SQLite.
    pub server: Option<PostgresServer>,
}

/// The text is no state of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("it is no state of a log")]
pub struct BadLogState;

impl fmt::Display for LogState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.checkpoint)?;
        self.server.iter().try_for_each(|server| writeln!(f, "{SERVER}{server}"))
    }
}

impl FromStr for LogState {
    type Err = BadLogState;

    fn from_str(text: &str) -> Result<LogState, BadLogState> {
        let (checkpoint, server) = match text.find(SERVER).filter(|at| text[..*at].ends_with('\n')) {
            None => (text, None),
            Some(at) => {
                let line = text[at + SERVER.len()..].strip_suffix('\n').ok_or(BadLogState)?;
                (&text[..at], Some(line.parse().map_err(|()| BadLogState)?))
            }
        };
        Ok(LogState { checkpoint: checkpoint.parse().map_err(|_| BadLogState)?, server })
    }
}

/// What there is in place of a state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredState {
    State(LogState),
    Missing,
    /// With the reason.
    Unreadable(String),
}

/// The path of a node's state file.
#[derive(Clone, Debug)]
pub struct LogStateFile(PathBuf);

impl LogStateFile {
    pub fn new(path: PathBuf) -> LogStateFile {
        LogStateFile(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub(super) async fn read(&self) -> Result<StoredState, LogFailure> {
        let file = self.clone();
        let read = tokio::task::spawn_blocking(move || file.read_blocking()).await;
        Ok(read.map_err(|error| Failure::Defect(error.to_string()))?)
    }

    /// Replaces the file, durably and in one step.
    ///
    /// # Errors
    /// [`Failure::Defect`] if it cannot be written.
    pub(super) async fn write(&self, state: &LogState) -> Result<(), LogFailure> {
        let (file, text) = (self.clone(), state.to_string());
        let written = tokio::task::spawn_blocking(move || {
            file.write_blocking(&text).map_err(|error| format!("{}: {error}", file.0.display()))
        });
        let written = written.await.map_err(|error| Failure::Defect(error.to_string()))?;
        written.map_err(|error| Failure::Defect(error).into())
    }

    fn read_blocking(&self) -> StoredState {
        match fs::read_to_string(&self.0) {
            Ok(text) => match text.parse() {
                Ok(state) => StoredState::State(state),
                Err(BadLogState) => StoredState::Unreadable(BadLogState.to_string()),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => StoredState::Missing,
            Err(error) => StoredState::Unreadable(error.to_string()),
        }
    }

    fn write_blocking(&self, text: &str) -> io::Result<()> {
        let new = self.0.with_extension("new");
        let mut file = File::create(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.0)?;
        match self.0.parent().filter(|folder| *folder != Path::new("")) {
            Some(folder) => File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_its_text() {
        let checkpoint = "cards.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";
        for text in [checkpoint.to_owned(), format!("{checkpoint}postgres 7712181537489073966 2 16384\n")] {
            let state: LogState = text.parse().expect("a state");
            assert_eq!(state.to_string(), text);
        }
        for end in ["postgres", "postgres 1 2\n", "postgres 1 2 3", "postgres 1 2 3\n\n", "x\n"] {
            assert_eq!(format!("{checkpoint}{end}").parse::<LogState>(), Err(BadLogState), "{end:?}");
        }
    }
}
