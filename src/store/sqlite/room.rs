//! A full disk: writing stops, the log is cut off, and writing goes on.
//!
//! Room that is made on a full disk would go to the write-ahead log first, and the checkpoint that empties the
//! log would still have none. So after "disk full" nothing is written until a checkpoint has moved the whole log
//! into the database file and cut it off. The reserve file is given up for that checkpoint, and writing goes on
//! once it is allocated again. The writer tries this when a batch comes in, so it takes no thread of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;

use super::reserve::{Reserve, is_full};
use crate::store::checkpoint;
use crate::store::connection::{Connection, Purpose};
use crate::store::error::StoreError;
use crate::store::url::DatabaseUrl;

/// How long batches are refused without another try.
const PAUSE: Duration = Duration::from_millis(250);

/// How often the log is tried to be cut off while another checkpoint or a reader is in the way, and the pause.
const CUTS: usize = 8;
const CUT_PAUSE: Duration = Duration::from_millis(20);

/// Whether there is room for writing.
pub(super) struct Room {
    url: DatabaseUrl,
    reserve: Reserve,
    full: AtomicBool,
    last_try: Mutex<Option<Instant>>,
}

impl Room {
    /// Allocates the reserve. Where the disk is full already, the first batch has to make room.
    pub fn start(url: DatabaseUrl, reserve: Reserve) -> Self {
        let room = Self { url, reserve, full: AtomicBool::new(false), last_try: Mutex::new(None) };
        if !room.has_reserve() {
            tracing::error!("the disk is full: no reserve beside the database; writing waits for room");
            room.full.store(true, Ordering::Relaxed);
        }
        room
    }

    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Refuses to write while the disk is full, and looks now and then whether it still is.
    pub fn admit(&self) -> Result<(), StoreError> {
        if !self.is_full() || self.recover_sometimes() {
            return Ok(());
        }
        Err(StoreError::DiskFull { detail: "writing waits until the log has been cut off".to_owned() })
    }

    /// The database said that the disk is full.
    pub fn disk_full(&self) {
        if !self.full.swap(true, Ordering::Relaxed) {
            tracing::error!("the disk is full: writing waits until the write-ahead log has been cut off");
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
            tracing::warn!("the write-ahead log has been cut off and there is a reserve: writing goes on");
            self.full.store(false, Ordering::Relaxed);
        }
        // A disk that is full again at once is tried again at once; the pause is for one that stays full.
        *last_try = (!recovered).then(Instant::now);
        recovered
    }

    fn recover(&self) -> bool {
        self.reserve.release();
        let cut = cut_log(&self.url).unwrap_or_else(|error| {
            tracing::debug!(%error, "the log cannot be cut off yet");
            false
        });
        // What room there is is kept for the next try, or for a restart.
        self.has_reserve() && cut
    }

    /// Allocates the reserve. A folder that takes no such file is no reason to write nothing.
    fn has_reserve(&self) -> bool {
        match self.reserve.fill() {
            Ok(whole) => whole,
            Err(error) if is_full(&error) => false,
            Err(error) => {
                tracing::warn!(%error, "there is no reserve file beside the database");
                true
            }
        }
    }
}

/// Moves the whole write-ahead log into the database file and cuts it off. Returns whether readers let it.
pub(super) fn cut_log(url: &DatabaseUrl) -> Result<bool, StoreError> {
    let mut conn = Connection::open(url, Purpose::Maintain)?;
    conn.batch_execute("PRAGMA busy_timeout = 100")?;
    for _ in 1..CUTS {
        if checkpoint::cut(&mut conn)? {
            return Ok(true);
        }
        // SQLite waits for readers itself, but not for another checkpoint.
        sleep(CUT_PAUSE);
    }
    checkpoint::cut(&mut conn)
}
