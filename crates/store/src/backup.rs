//! Copies an SQLite database while the server writes to it.
//!
//! `VACUUM INTO` reads one state of the database and does not block the writer. The copy gets its final name
//! only when it is complete and on disk.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use diesel::RunQueryDsl;
use diesel::sql_types::Text;
use thiserror::Error;

use super::connection::{Connection, Purpose};
use super::error::StoreError;
use super::url::DatabaseUrl;

/// Why the backup failed.
#[derive(Debug, Error)]
pub enum BackupError {
    /// PostgreSQL has its own backup tools.
    #[error("PostgreSQL is backed up with its own tools: see docs/backups.md")]
    Postgres,
    #[error("there is no database at {}", .0.display())]
    NoDatabase(PathBuf),
    /// The target exists and is left unchanged.
    #[error("{} already exists", .0.display())]
    Exists(PathBuf),
    /// The copy cannot be written.
    #[error("{}: {error}", .path.display())]
    File {
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The database cannot be read or copied.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Copies the database to a new file that only its owner can read. Blocks.
///
/// # Errors
/// No file or partial file is left behind.
pub fn backup(url: &DatabaseUrl, file: &Path) -> Result<(), BackupError> {
    let DatabaseUrl::Sqlite(source) = url else { return Err(BackupError::Postgres) };
    // Opening it would create an empty database.
    if !source.is_file() {
        return Err(BackupError::NoDatabase(source.clone()));
    }
    if file.symlink_metadata().is_ok() {
        return Err(BackupError::Exists(file.to_owned()));
    }
    let partial = Partial::create(file)?;
    let mut conn = Connection::open(url, Purpose::Copy)?;
    diesel::sql_query("VACUUM INTO ?")
        .bind::<Text, _>(partial.name())
        .execute(sqlite(&mut conn)?)
        .map_err(StoreError::from)?;
    partial.complete(file)
}

fn sqlite(conn: &mut Connection) -> Result<&mut diesel::SqliteConnection, StoreError> {
    match conn {
        Connection::Sqlite(conn) => Ok(conn),
        Connection::Postgres(_) => Err(StoreError::Defect { detail: "not SQLite".to_owned() }),
    }
}

/// An incomplete copy. Removed when dropped.
struct Partial(PathBuf);

impl Partial {
    /// Creates an empty file next to the target, readable by its owner only: it will hold seeds and password
    /// hashes.
    fn create(file: &Path) -> Result<Partial, BackupError> {
        let mut name = file.as_os_str().to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        let path = PathBuf::from(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(_) => Ok(Partial(path)),
            Err(error) => Err(BackupError::File { path, error }),
        }
    }

    /// The name for SQLite, which would read one like `file:x` as a URI.
    fn name(&self) -> String {
        if self.0.is_absolute() { self.0.display().to_string() } else { format!("./{}", self.0.display()) }
    }

    /// Syncs the copy to disk and gives it its final name.
    fn complete(self, file: &Path) -> Result<(), BackupError> {
        let failed = |error| BackupError::File { path: file.to_owned(), error };
        File::open(&self.0).and_then(|copy| copy.sync_all()).map_err(failed)?;
        // Unlike a rename, a link never replaces a file that was created meanwhile.
        match fs::hard_link(&self.0, file) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(BackupError::Exists(file.to_owned()));
            }
            // Some file systems do not support links.
            Err(_) => fs::rename(&self.0, file).map_err(failed)?,
        }
        let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Already gone when it was renamed.
        let _ = fs::remove_file(&self.0);
    }
}
