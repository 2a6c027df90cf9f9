//! Refuses to sign when the database is older than what was signed: after a backup was restored, or when a standby was
//! promoted without the last checkpoint. A node compares the log with a file outside the database.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use estimation_tlog::{Checkpoint, Hash};

use super::{StoredTiles, unreadable};
use crate::base::failure::Failure;
use crate::public_log::failure::LogFailure;
use estimation_store::{Connection, StoreError};

/// The file with the last signed checkpoint: its three lines.
#[derive(Clone, Debug)]
pub struct LogStateFile(PathBuf);

impl LogStateFile {
    pub fn new(path: PathBuf) -> LogStateFile {
        LogStateFile(path)
    }

    /// The last signed checkpoint; none if there is no file.
    ///
    /// # Errors
    /// [`Failure::Defect`] if the file cannot be read, or is not one.
    pub(super) async fn read(&self) -> Result<Option<Checkpoint>, LogFailure> {
        self.off_the_event_loop(LogStateFile::read_blocking).await
    }

    /// Replaces the file, durably and in one step.
    ///
    /// # Errors
    /// [`Failure::Defect`] if it cannot be written.
    pub(super) async fn write(&self, checkpoint: &Checkpoint) -> Result<(), LogFailure> {
        let text = checkpoint.to_string();
        self.off_the_event_loop(move |file| file.write_blocking(&text)).await
    }

    async fn off_the_event_loop<T: Send + 'static>(
        &self,
        work: impl FnOnce(&LogStateFile) -> io::Result<T> + Send + 'static,
    ) -> Result<T, LogFailure> {
        let file = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            work(&file).map_err(|error| Failure::Defect(format!("{}: {error}", file.0.display())).into())
        });
        done.await.map_err(|error| Failure::Defect(error.to_string()))?
    }

    fn read_blocking(&self) -> io::Result<Option<Checkpoint>> {
        match fs::read_to_string(&self.0) {
            Ok(text) => {
                text.parse().map(Some).map_err(|error: estimation_tlog::checkpoint::BadCheckpoint| {
                    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
                })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
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

/// How a log of a size contradicts a checkpoint that was signed before; none if it continues it.
pub(super) fn contradiction(
    conn: &mut Connection,
    (log, size): (i32, u64),
    signed: &Checkpoint,
) -> Result<Option<String>, StoreError> {
    if signed.size > size {
        return Ok(Some(format!("the log has {size} entries; one with {} was signed", signed.size)));
    }
    let root: Hash =
        estimation_tlog::tree::root(&mut StoredTiles { conn, log }, signed.size).map_err(unreadable)?;
    let differs = root != signed.root;
    Ok(differs.then(|| format!("the log's first {} entries are not those that were signed", signed.size)))
}
