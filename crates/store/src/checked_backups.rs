//! Backups that were restored, audited and found sound.

use diesel::prelude::*;

use super::columns::text_enums;
use super::schema::checked_backups;
use super::{Connection, Id, RecordTime, Result};

estimation_engine::choices! {
    /// The database of a backup.
    pub enum BackupKind {
        /// A copy of the SQLite file.
        Sqlite = "sqlite",
        /// A base backup of PostgreSQL with its archive.
        Postgres = "postgres",
    }
}

text_enums!(BackupKind);

/// A checked backup. Times are milliseconds since 1970 in UTC.
#[derive(Clone, Debug, PartialEq, Eq, HasQuery, Insertable)]
#[diesel(table_name = checked_backups)]
pub struct CheckedBackup {
    /// UUIDv7.
    pub id: Id,
    pub kind: BackupKind,
    /// The time of the state that the backup restores.
    pub made_at: RecordTime,
    pub checked_at: RecordTime,
    pub games: i64,
    /// The number of entries of the public log.
    pub log_size: i64,
}

/// Records a check.
pub fn insert(conn: &mut Connection, checked: &CheckedBackup) -> Result<()> {
    diesel::insert_into(checked_backups::table).values(checked).execute(conn)?;
    Ok(())
}

/// The checked backups, the newest state first, at most `limit`.
pub fn newest(conn: &mut Connection, limit: i64) -> Result<Vec<CheckedBackup>> {
    let query = CheckedBackup::query()
        .order((checked_backups::made_at.desc(), checked_backups::id.desc()))
        .limit(limit);
    Ok(query.load(conn)?)
}
