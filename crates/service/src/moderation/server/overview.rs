//! The overview: what an operator looks at first.

use std::time::Instant;

use serde::Serialize;
use utoipa::ToSchema;

use super::time;
use crate::auth::permission::Staff;
use crate::auth::tokens::Role;
use crate::base::failure::Failure;
use crate::moderation::Moderation;
use estimation_record::RecordTime;
use estimation_store::{Connection, checked_backups, games, matchmaking, reports};

/// What an operator looks at first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Overview {
    /// The caller's role.
    pub role: Role,
    /// The version of the server.
    #[schema(min_length = 1, max_length = 64)]
    pub version: String,
    /// Reports that wait for a decision, appeals among them.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub open_reports: i64,
    /// The time of the oldest of them; null for none.
    pub oldest_report_at: Option<RecordTime>,
    /// Appeals that wait for a decision.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub appeals: i64,
    /// Tables in the lobby.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub lobby_games: i64,
    /// Games that are played.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub playing_games: i64,
    /// Players in the matchmaking queue.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub waiting_players: i64,
    /// Games that are over and whose end is not signed yet.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub unsigned_games: i64,
    /// Games that background jobs of the node that answers skip because they fail.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub skipped_games: usize,
    /// Entries that wait for their position in the public log.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub log_waiting: u64,
    /// Rows of waiting entries that no node enters.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub log_refused: u64,
    /// The time of the last checkpoint of the public log; null before the first.
    pub checkpoint_at: Option<RecordTime>,
    /// Running nodes.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub nodes: usize,
    /// Those of them that are not ready.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub unready_nodes: usize,
    /// The time of the newest backup that was checked; null for none.
    pub checked_backup_at: Option<RecordTime>,
}

impl Moderation {
    /// What an operator looks at first.
    pub async fn overview(&self, by: &Staff) -> Result<Overview, Failure> {
        let read = |conn: &mut Connection| {
            let backup = checked_backups::newest(conn, 1)?.pop();
            let counts = (games::count_open(conn, "lobby")?, games::count_open(conn, "playing")?);
            let unsigned = games::count_unfinished(conn)?.0;
            Ok((reports::count_open(conn)?, counts, unsigned, matchmaking::count_waiting(conn)?, backup))
        };
        let (
            (open_reports, appeals, oldest),
            (lobby_games, playing_games),
            unsigned_games,
            waiting_players,
            backup,
        ) = self.database.read(read).await?;
        let log = self.public_log.glimpse().await.map_err(Failure::from)?;
        let nodes = self.nodes.live(self.now()).await?;
        Ok(Overview {
            role: by.role(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            open_reports,
            oldest_report_at: oldest,
            appeals,
            lobby_games,
            playing_games,
            waiting_players,
            unsigned_games,
            skipped_games: self.skipped_games.counts(Instant::now()).iter().map(|(_, games)| games).sum(),
            log_waiting: log.waiting,
            log_refused: log.refused,
            checkpoint_at: log.tree.and_then(|tree| tree.checkpoint_at()).map(time).transpose()?,
            nodes: nodes.len(),
            unready_nodes: nodes.iter().filter(|node| node.state != "ready").count(),
            checked_backup_at: backup.map(|backup| backup.made_at),
        })
    }
}
