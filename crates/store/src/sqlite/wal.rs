//! Checkpoints: move pages of the write-ahead log into the database file.

use diesel::sql_types::Integer;
use diesel::{QueryableByName, RunQueryDsl};

use crate::connection::Connection;
use crate::error::StoreError;

/// The state of the log after a checkpoint.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub(crate) struct Progress {
    /// 1 when a reader or the writer blocked the checkpoint.
    #[diesel(sql_type = Integer)]
    pub busy: i32,
    /// Pages in the log.
    #[diesel(sql_type = Integer)]
    pub log: i32,
    /// Pages of the log that are already in the database file.
    #[diesel(sql_type = Integer)]
    pub checkpointed: i32,
}

impl Progress {
    pub fn rest(&self) -> i32 {
        self.log - self.checkpointed
    }

    /// Whether the whole log is in the database file. SQLite has then synced the file.
    pub fn is_complete(&self) -> bool {
        self.busy == 0 && self.rest() == 0
    }
}

/// Moves as many pages as possible into the database file. Blocks neither readers nor the writer. On PostgreSQL there is
/// nothing to move.
pub(crate) fn move_pages(conn: &mut Connection) -> Result<Progress, StoreError> {
    let Connection::Sqlite(conn) = conn else { return Ok(Progress { busy: 0, log: 0, checkpointed: 0 }) };
    Ok(diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").get_result(conn)?)
}

/// Moves the whole log into the database file and truncates it. Returns false when a reader or the writer
/// blocked it.
pub(crate) fn truncate(conn: &mut Connection) -> Result<bool, StoreError> {
    let Connection::Sqlite(conn) = conn else { return Ok(true) };
    let progress: Progress = diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result(conn)?;
    Ok(progress.busy == 0)
}
