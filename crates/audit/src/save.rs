//! Saves what an audit fetches from a service, as it came: keys, public log, opened entries and histories.
//! `estimation-audit` reads the folder again.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::log::OpenedEntry;
use estimation_command::Failed;

/// The service's JWK set.
pub(crate) const JWKS: &str = "jwks.json";
/// The entries of the public log that the service opened for an auditor, one line each.
pub(crate) const OPENED: &str = "opened.ndjson";
/// The folder of the public log, with the paths of the service.
pub(crate) const PUBLIC_LOG: &str = "log";
/// The folder of histories, one file for each game.
pub(crate) const GAMES: &str = "games";

/// A folder for fetched records.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder. It must not have files of an earlier audit.
    pub(crate) fn create(path: &Path) -> Result<Folder, Failed> {
        let failed = |error: io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(path).map_err(failed)?;
        fs::create_dir(path.join(GAMES)).map_err(failed)?;
        Ok(Folder { path: path.to_owned() })
    }

    pub(crate) fn jwks(&self, text: &str) -> Result<(), Failed> {
        Ok(fs::write(self.path.join(JWKS), text)?)
    }

    /// Saves the opened entries.
    pub(crate) fn opened(&self, entries: &[OpenedEntry]) -> Result<(), Failed> {
        let mut file = BufWriter::new(File::create_new(self.path.join(OPENED))?);
        for entry in entries {
            serde_json::to_writer(&mut file, entry)?;
            file.write_all(b"\n")?;
        }
        Ok(file.flush()?)
    }

    pub(crate) fn public_log(&self) -> PathBuf {
        self.path.join(PUBLIC_LOG)
    }

    /// A reader that writes what it reads of a history to a file.
    pub(crate) fn history<R: Read>(&self, game: Uuid, input: R) -> Result<Copying<R>, Failed> {
        let copy = File::create_new(self.path.join(GAMES).join(format!("{game}.ndjson")))?;
        Ok(Copying { input, copy: BufWriter::new(copy) })
    }
}

/// Copies to a file what is read.
pub(crate) struct Copying<R> {
    input: R,
    copy: BufWriter<File>,
}

impl<R: Read> Read for Copying<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.copy.write_all(&buffer[..read])?;
        if read == 0 {
            self.copy.flush()?;
        }
        Ok(read)
    }
}
