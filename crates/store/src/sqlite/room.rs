//! Handling of a full disk: stop writing, truncate the log, continue.
//!
//! On a full disk, freed space would first go to the write-ahead log, and the checkpoint that empties the log
//! would still have none. So after "disk full" nothing is written until a checkpoint has moved the whole log
//! into the database file and truncated it. The reserve file is freed for that checkpoint, and writing
//! continues once it is allocated again. The writer tries this when a batch arrives, so it needs no extra
//! thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;

use super::reserve::{Reserve, is_full};
use super::wal::truncate;
use crate::connection::{Connection, Purpose};
use crate::error::StoreError;
use crate::url::DatabaseUrl;

/// How long batches are refused before another try.
const PAUSE: Duration = Duration::from_millis(250);

/// How often truncating the log is tried while another checkpoint or a reader blocks it, and the pause.
const CUTS: usize = 8;
const CUT_PAUSE: Duration = Duration::from_millis(20);

/// Whether there is space for writing.
pub(super) struct Room {
    url: DatabaseUrl,
    reserve: Reserve,
    full: AtomicBool,
    last_try: Mutex<Option<Instant>>,
}

impl Room {
    /// Allocates the reserve. If the disk is already full, the first batch has to make space.
    pub fn start(url: DatabaseUrl, reserve: Reserve) -> Self {
        let room = Self { url, reserve, full: AtomicBool::new(false), last_try: Mutex::new(None) };
        if !room.has_reserve() {
            tracing::error!("the disk is full: there is no space for the reserve file, writing is stopped");
            room.full.store(true, Ordering::Relaxed);
        }
        room
    }

    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Refuses batches while the disk is full, and checks at intervals whether it still is.
    pub fn admit(&self) -> Result<(), StoreError> {
        if !self.is_full() || self.recover_sometimes() {
            return Ok(());
        }
        Err(StoreError::DiskFull { detail: "writing waits until the log has been cut off".to_owned() })
    }

    /// Called when the database reported a full disk.
    pub fn disk_full(&self) {
        if !self.full.swap(true, Ordering::Relaxed) {
            tracing::error!("the disk is full: writing is stopped until the write-ahead log is truncated");
        }
        self.recover_sometimes();
    }

    fn recover_sometimes(&self) -> bool {
        let mut last_try = self.last_try.lock().unwrap_or_else(PoisonError::into_inner);
        if last_try.is_some_and(|last| last.elapsed() < PAUSE) {
            return false;
        }
        let recovered = self.recover();
        if recovered {
            tracing::warn!(
                "the write-ahead log was truncated and the reserve file restored: writing resumes"
            );
            self.full.store(false, Ordering::Relaxed);
        }
        // If the disk was free and is full again, try again at once. The pause is for a disk that stays full.
        *last_try = (!recovered).then(Instant::now);
        recovered
    }

    fn recover(&self) -> bool {
        self.reserve.release();
        let cut = truncate_log(&self.url).unwrap_or_else(|error| {
            tracing::debug!(%error, "cannot truncate the write-ahead log yet");
            false
        });
        // Keep the remaining space for the next try or a restart.
        self.has_reserve() && cut
    }

    /// Allocates the reserve. Without permission to create it, writing is allowed anyway.
    fn has_reserve(&self) -> bool {
        match self.reserve.fill() {
            Ok(whole) => whole,
            Err(error) if is_full(&error) => false,
            Err(error) => {
                tracing::warn!(%error, "cannot create the reserve file");
                true
            }
        }
    }
}

/// Moves the whole write-ahead log into the database file and truncates it. Returns false when readers
/// blocked it.
pub(super) fn truncate_log(url: &DatabaseUrl) -> Result<bool, StoreError> {
    let mut conn = Connection::open(url, Purpose::Maintain)?;
    conn.batch_execute("PRAGMA busy_timeout = 100")?;
    for _ in 1..CUTS {
        if truncate(&mut conn)? {
            return Ok(true);
        }
        // SQLite waits for readers, but not for another checkpoint.
        sleep(CUT_PAUSE);
    }
    truncate(&mut conn)
}
