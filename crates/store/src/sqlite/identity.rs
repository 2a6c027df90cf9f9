//! Checks that the files at the database's path are still the ones this process has open.
//!
//! SQLite does not notice when its files are deleted or replaced: commits go to unlinked files and are lost
//! when the process ends. Device and inode numbers detect this. An anchor connection keeps both files open,
//! so that the system cannot reuse their inode numbers, and so that SQLite never deletes the write-ahead log,
//! as the last closing connection would.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use diesel::connection::SimpleConnection;

use super::{DiskSpace, sibling};
use crate::connection::{Connection, OPEN_FILES, Purpose};
use crate::error::StoreError;
use crate::url::DatabaseUrl;

/// How often the files are reopened because they changed while they were opened.
const TRIES: usize = 5;

/// The open files of a database.
pub(super) struct OpenFiles {
    database: KnownFile,
    log: KnownFile,
    /// The anchor connection; never used otherwise.
    _anchor: Mutex<Connection>,
    /// Set once, when the files were replaced. Only a restart opens the new files.
    found: OnceLock<Replacement>,
}

/// A detected replacement.
struct Replacement {
    detail: String,
    /// Whether the database file is unchanged and only its log was deleted: the content of the log can still
    /// be saved into the database file.
    log_alone_is_gone: bool,
}

/// Device and inode of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
}

struct KnownFile {
    path: PathBuf,
    id: FileId,
}

impl OpenFiles {
    /// Opens the database and records the identity of its files.
    pub fn open(url: &DatabaseUrl, path: &Path) -> Result<Self, StoreError> {
        let unavailable = |error: io::Error| StoreError::unavailable(format!("{}: {error}", path.display()));
        for _ in 0..TRIES {
            let before = identity(path).map_err(unavailable)?;
            let mut anchor = Connection::open(url, Purpose::Write)?;
            // The first read opens the log.
            anchor.batch_execute(OPEN_FILES)?;
            // SQLite keeps the log next to the file a symbolic link points to.
            let log = sibling(&fs::canonicalize(path).map_err(unavailable)?, "-wal");
            let log = KnownFile { id: identity(&log).map_err(unavailable)?, path: log };
            let database = KnownFile { path: path.to_owned(), id: before };
            let files = Self { database, log, _anchor: Mutex::new(anchor), found: OnceLock::new() };
            if files.look().is_ok_and(|found| found.is_none()) {
                return Ok(files);
            }
        }
        Err(StoreError::unavailable(format!("{} is being replaced", path.display())))
    }

    /// The replacement detected so far.
    pub fn known(&self) -> Result<(), StoreError> {
        match self.found.get() {
            None => Ok(()),
            Some(found) => Err(StoreError::DatabaseReplaced { detail: found.detail.clone() }),
        }
    }

    /// Compares the files at the path.
    pub fn check(&self) -> Result<(), StoreError> {
        self.known()?;
        let Some(found) = self.look().map_err(StoreError::unavailable)? else { return Ok(()) };
        let mut first = false;
        self.found.get_or_init(|| {
            first = true;
            found
        });
        let found = self.known();
        if let (true, Err(error)) = (first, &found) {
            tracing::error!(
                %error,
                "the database was replaced while it was open; nothing more is written or read. Put the right \
                 file back and restart the node"
            );
        }
        found
    }

    pub fn disk(&self) -> Option<DiskSpace> {
        DiskSpace::at(&self.database.path)
    }

    /// Whether a checkpoint would write to the right file.
    pub fn may_checkpoint(&self) -> bool {
        self.found.get().is_none_or(|found| found.log_alone_is_gone)
    }

    fn look(&self) -> io::Result<Option<Replacement>> {
        if let Some(detail) = self.database.difference()? {
            return Ok(Some(Replacement { detail, log_alone_is_gone: false }));
        }
        let Some(detail) = self.log.difference()? else { return Ok(None) };
        Ok(Some(Replacement { detail, log_alone_is_gone: !self.log.path.exists() }))
    }
}

impl KnownFile {
    /// How the file at the path differs from the open one.
    fn difference(&self) -> io::Result<Option<String>> {
        let path = self.path.display();
        match identity(&self.path) {
            Ok(id) if id == self.id => Ok(None),
            Ok(_) => Ok(Some(format!("{path} is another file than the one that is open"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(format!("{path} is gone"))),
            Err(error) => Err(error),
        }
    }
}

fn identity(path: &Path) -> io::Result<FileId> {
    let file = fs::metadata(path)?;
    Ok(FileId { device: file.dev(), inode: file.ino() })
}
