//! A copy of an SQLite database that others go on writing to.
//!
//! `VACUUM INTO` reads one state of the database, however long it takes, and holds no writer up. The copy gets
//! its name when it is complete and on the disk, and not before.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use diesel::RunQueryDsl;
use diesel::sql_types::Text;
use thiserror::Error;

use super::connection::{Connection, Purpose};
use super::error::StoreError;
use super::url::DatabaseUrl;

/// Why there is no copy.
#[derive(Debug, Error)]
pub enum BackupError {
    /// PostgreSQL has tools of its own for this.
    #[error("PostgreSQL is backed up with its own tools, pg_dump or pg_basebackup: see docs/operations.md")]
    Postgres,
    /// There is no such database.
    #[error("there is no database at {}", .0.display())]
    NoDatabase(PathBuf),
    /// Something is there already, and it is left alone.
    #[error("{} is there already", .0.display())]
    Exists(PathBuf),
    /// The copy cannot be written there.
    #[error("{}: {error}", .path.display())]
    File {
        /// What was to be written.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The database cannot be read, or the copy not be filled.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Copies the database into a file that must not exist yet, readable by its owner alone. Blocks.
///
/// # Errors
/// Why there is no copy; then there is no file of that name either, nor a part of one.
pub fn backup(url: &DatabaseUrl, file: &Path) -> Result<(), BackupError> {
    let DatabaseUrl::Sqlite(source) = url else { return Err(BackupError::Postgres) };
    // Opening it would make an empty one.
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

/// A copy that is not complete yet; removed when dropped.
struct Partial(PathBuf);

impl Partial {
    /// An empty file beside the one that is to be. It will hold seeds and password hashes.
    fn create(file: &Path) -> Result<Partial, BackupError> {
        let mut name = file.as_os_str().to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        let path = PathBuf::from(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(_) => Ok(Partial(path)),
            Err(error) => Err(BackupError::File { path, error }),
        }
    }

    /// The name as SQLite takes it: one like `file:x` would be read as a URI.
    fn name(&self) -> String {
        if self.0.is_absolute() { self.0.display().to_string() } else { format!("./{}", self.0.display()) }
    }

    /// Has the copy reach the disk, and gives it its name.
    fn complete(self, file: &Path) -> Result<(), BackupError> {
        let failed = |error| BackupError::File { path: file.to_owned(), error };
        File::open(&self.0).and_then(|copy| copy.sync_all()).map_err(failed)?;
        // A link, unlike a new name, never takes the place of what has come there meanwhile.
        match fs::hard_link(&self.0, file) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(BackupError::Exists(file.to_owned()));
            }
            // Some file systems have no links.
            Err(_) => fs::rename(&self.0, file).map_err(failed)?,
        }
        let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Gone already where it was given its name by renaming.
        let _ = fs::remove_file(&self.0);
    }
}
