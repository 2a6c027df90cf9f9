//! What roles see of the server: the overview, the public log, who waits for a game, nodes, backups and settings.

mod log;
mod overview;
mod queues;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Moderation;
use crate::auth::permission::Admin;
use crate::base::failure::Failure;
use estimation_record::RecordTime;
use estimation_store::checked_backups::{self, BackupKind};

pub use self::log::{LogReport, SkippedGame, WitnessReport};
pub use self::overview::Overview;
pub use self::queues::{Queues, WaitingQueueView, WaitingTableView};

/// The most backups in a list.
const BACKUPS: i64 = 20;

/// A running node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NodeView {
    /// An id that it draws at its start.
    pub id: Uuid,
    /// The version of the program.
    #[schema(min_length = 1, max_length = 64)]
    pub version: String,
    /// The newest format of games that it knows.
    #[schema(minimum = 1, maximum = 2147483647)]
    pub format: i32,
    /// When it started.
    pub started_at: RecordTime,
    /// When it last said so.
    pub seen_at: RecordTime,
    /// `ready`, or why it is not.
    #[schema(min_length = 1, max_length = 64)]
    pub state: String,
    /// How long its oldest change waits to be written, in milliseconds.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub waits_ms: i64,
}

/// The running nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NodeList {
    /// The nodes, the longest running first; on SQLite the one that answers.
    #[schema(max_items = 1000)]
    pub items: Vec<NodeView>,
}

/// A backup that was restored, audited and found sound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = CheckedBackup)]
pub struct CheckedBackupView {
    /// The check's id.
    pub id: Uuid,
    /// The database.
    pub kind: BackupKind,
    /// The time of the state that it restores.
    pub made_at: RecordTime,
    /// When it was checked.
    pub checked_at: RecordTime,
    /// The number of games in it.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub games: i64,
    /// The number of entries of the public log in it.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub log_size: i64,
}

/// Checked backups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BackupList {
    /// The backups, newest first.
    #[schema(max_items = 20)]
    pub items: Vec<CheckedBackupView>,
}

estimation_engine::choices! {
    /// Where a setting comes from.
    pub enum SettingSource {
        /// The command line.
        Flag = "flag",
        /// The environment.
        Environment = "environment",
        /// The configuration file.
        File = "file",
        /// The program.
        Default = "default",
    }
}

/// A setting in effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Setting)]
pub struct SettingView {
    /// The flag, without its hyphens.
    #[schema(min_length = 1, max_length = 64)]
    pub flag: String,
    /// The value as in the settings file, a text in quotes; null if it is not set, or not shown because it is a secret.
    #[schema(min_length = 0, max_length = 10000)]
    pub value: Option<String>,
    /// Where it comes from; null if it is not set.
    pub source: Option<SettingSource>,
}

/// The settings in effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SettingList {
    /// The settings, in the order of `estimation serve --help`.
    #[schema(max_items = 1000)]
    pub items: Vec<SettingView>,
}

impl Moderation {
    /// The running nodes; for admins.
    pub async fn nodes(&self, _by: &Admin) -> Result<NodeList, Failure> {
        let items = self.nodes.live(self.now()).await?.into_iter().map(|row| {
            Ok::<_, Failure>(NodeView {
                id: row.id.0,
                version: row.version,
                format: row.format,
                started_at: row.started_at,
                seen_at: time(row.seen_at)?,
                state: row.state,
                waits_ms: row.waits,
            })
        });
        Ok(NodeList { items: items.collect::<Result<_, _>>()? })
    }

    /// The backups that were checked; for admins.
    pub async fn backups(&self, _by: &Admin) -> Result<BackupList, Failure> {
        let rows = self.database.read(|conn| checked_backups::newest(conn, BACKUPS)).await?;
        let items = rows.into_iter().map(|row| CheckedBackupView {
            id: row.id.0,
            kind: row.kind,
            made_at: row.made_at,
            checked_at: row.checked_at,
            games: row.games,
            log_size: row.log_size,
        });
        Ok(BackupList { items: items.collect() })
    }

    /// The settings in effect, without secrets; for admins.
    pub fn settings(&self, _by: &Admin) -> SettingList {
        SettingList { items: self.settings.get().to_vec() }
    }

    /// Shows other settings from now on.
    pub(crate) fn set_settings(&self, settings: Vec<SettingView>) {
        self.settings.set(settings);
    }
}

fn time(milliseconds: i64) -> Result<RecordTime, Failure> {
    Ok(RecordTime::from_milliseconds(milliseconds)?)
}
