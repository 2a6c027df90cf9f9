//! Guards SQLite's files on disk: whether they were replaced, and whether there is space.
//!
//! [`FileGuard`] is the interface for the rest of the store. For PostgreSQL every check passes.

mod identity;
mod reserve;
mod room;
pub(crate) mod wal;

use std::path::PathBuf;
use std::sync::Arc;

use self::identity::OpenFiles;
use self::reserve::Reserve;
use self::room::Room;
use super::error::StoreError;
use super::url::DatabaseUrl;

/// Checks around every batch of the writer. Cheap to clone.
#[derive(Clone)]
pub(super) struct FileGuard(Option<Arc<GuardedFiles>>);

struct GuardedFiles {
    files: OpenFiles,
    room: Room,
}

impl FileGuard {
    /// Runs `prepare`, which migrates the schema, and starts guarding the files. If `prepare` fails, frees
    /// the reserve and runs `prepare` again, because the disk may be full.
    ///
    /// # Errors
    /// The error of `prepare`, or of opening the database.
    pub fn start(
        url: &DatabaseUrl,
        prepare: impl Fn() -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let DatabaseUrl::Sqlite(path) = url else {
            prepare()?;
            return Ok(Self(None));
        };
        let reserve = Reserve::next_to(path);
        if let Err(error) = prepare() {
            // A database of another version stays as it is.
            if matches!(error, StoreError::NewerSchema { .. }) || !reserve.release() {
                return Err(error);
            }
            tracing::warn!(%error, "cannot open the database; retrying with the space of the reserve file");
            room::truncate_log(url)?;
            prepare()?;
        }
        let files = OpenFiles::open(url, path)?;
        Ok(Self(Some(Arc::new(GuardedFiles { files, room: Room::start(url.clone(), reserve) }))))
    }

    /// Whether a batch may be written.
    ///
    /// # Errors
    /// [`StoreError::DatabaseReplaced`], and [`StoreError::DiskFull`] until there is space again.
    pub fn admit(&self) -> Result<(), StoreError> {
        let Some(guarded) = &self.0 else { return Ok(()) };
        guarded.files.known()?;
        guarded.room.admit()
    }

    /// Checks that the files at the database's path are the open ones. Costs one `stat` per file. A commit
    /// may be acknowledged only after this check.
    ///
    /// # Errors
    /// [`StoreError::DatabaseReplaced`] if they differ, [`StoreError::Unavailable`] if `stat` fails.
    pub fn confirm(&self) -> Result<(), StoreError> {
        self.0.as_ref().map_or(Ok(()), |guarded| guarded.files.check())
    }

    /// Handles an error of the writer: a full disk stops writing until the log was truncated.
    pub fn failed(&self, error: &StoreError) {
        if let (Some(guarded), StoreError::DiskFull { .. }) = (&self.0, error) {
            guarded.room.disk_full();
        }
    }

    /// Returns an already detected replacement without looking at the disk.
    ///
    /// # Errors
    /// [`StoreError::DatabaseReplaced`].
    pub fn known(&self) -> Result<(), StoreError> {
        self.0.as_ref().map_or(Ok(()), |guarded| guarded.files.known())
    }

    /// Whether a checkpoint may write into the database file.
    pub fn may_checkpoint(&self) -> bool {
        self.0.as_ref().is_none_or(|guarded| guarded.files.may_checkpoint())
    }

    /// The space on the disk of the database; none for PostgreSQL, and where the system does not say.
    pub fn disk(&self) -> Option<DiskSpace> {
        self.0.as_ref().and_then(|guarded| guarded.files.disk())
    }

    /// Whether writing is stopped because the disk is full.
    pub fn waits_for_room(&self) -> bool {
        self.0.as_ref().is_some_and(|guarded| guarded.room.is_full())
    }
}

/// The disk of a database file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// Bytes that this process may still use.
    pub free: u64,
    pub size: u64,
}

impl DiskSpace {
    /// The space of the disk of a file or folder; none where the system does not say.
    pub fn at(path: &std::path::Path) -> Option<DiskSpace> {
        let found = rustix::fs::statvfs(path).ok()?;
        Some(DiskSpace { free: found.f_bavail * found.f_frsize, size: found.f_blocks * found.f_frsize })
    }
}

/// The path of a file next to the database: the database's path with a suffix.
fn sibling(database: &std::path::Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
