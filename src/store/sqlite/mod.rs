//! SQLite's files on the disk: whether they are still the files that were opened, and whether there is room.
//!
//! [`FileGuard`] is what the rest of the store sees of it. It answers for PostgreSQL as well, where there is
//! nothing to guard and every check passes.

mod identity;
mod reserve;
mod room;

use std::path::PathBuf;
use std::sync::Arc;

use self::identity::OpenFiles;
use self::reserve::Reserve;
use self::room::Room;
use super::error::StoreError;
use super::url::DatabaseUrl;

/// Checks around every batch of the writer. Cheap to clone.
#[derive(Clone)]
pub(super) struct FileGuard(Option<Arc<Guarded>>);

struct Guarded {
    files: OpenFiles,
    room: Room,
}

impl FileGuard {
    /// Runs `prepare`, which brings the schema up to date, and starts to guard the files. If `prepare` fails, the
    /// reserve is given up and `prepare` runs again: the disk may be full.
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
        let reserve = Reserve::beside(path);
        if let Err(error) = prepare() {
            if !reserve.release() {
                return Err(error);
            }
            tracing::warn!(%error, "the database does not open; trying again with the room of the reserve file");
            room::cut_log(url)?;
            prepare()?;
        }
        let files = OpenFiles::open(url, path)?;
        Ok(Self(Some(Arc::new(Guarded { files, room: Room::start(url.clone(), reserve) }))))
    }

    /// Whether a batch may be written.
    ///
    /// # Errors
    /// [`StoreError::DatabaseReplaced`], and [`StoreError::DiskFull`] until there is room again.
    pub fn admit(&self) -> Result<(), StoreError> {
        let Some(guarded) = &self.0 else { return Ok(()) };
        guarded.files.known()?;
        guarded.room.admit()
    }

    /// Whether the files at the database's path are those that are open. Costs one `stat` for each file. What was
    /// committed may be acknowledged only if they are.
    ///
    /// # Errors
    /// [`StoreError::DatabaseReplaced`] if not, [`StoreError::Unavailable`] if the system does not tell.
    pub fn confirm(&self) -> Result<(), StoreError> {
        self.0.as_ref().map_or(Ok(()), |guarded| guarded.files.check())
    }

    /// Takes note of an error of the writer. A full disk stops writing until the log was cut off.
    pub fn failed(&self, error: &StoreError) {
        if let (Some(guarded), StoreError::DiskFull { .. }) = (&self.0, error) {
            guarded.room.disk_full();
        }
    }

    /// Whether the files were found to be others; costs no look at the disk.
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

    /// Whether writing waits for room on the disk.
    pub fn waits_for_room(&self) -> bool {
        self.0.as_ref().is_some_and(|guarded| guarded.room.is_full())
    }
}

/// The path of a file that belongs to a database: its own with a suffix.
fn beside(database: &std::path::Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
