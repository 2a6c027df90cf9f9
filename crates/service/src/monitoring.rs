//! Collects the metrics of a node, in the text format of Prometheus.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use crate::auth::hashing::PasswordHasher;
use crate::base::clock::Clock;
use crate::base::failure::milliseconds;
use crate::base::metrics::Metrics;
use crate::games::skipped_games::SkippedGames;
use estimation_engine::game::GameStatus;
use estimation_store::public_log::{self, tree};
use estimation_store::{Connection, Database, checked_backups, games, notifications, standbys};

/// The longest a scrape waits for the database to count games.
const COUNTED_WITHIN: Duration = Duration::from_secs(1);

/// Collects a node's metrics for a scrape.
pub struct Monitoring {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) hasher: Arc<PasswordHasher>,
    pub(crate) skipped_games: Arc<SkippedGames>,
}

impl Monitoring {
    /// All metrics, with games by status and process usage. If the database does not answer, the last game
    /// counts are used.
    pub async fn scrape(&self) -> String {
        let count = |conn: &mut Connection| {
            let log = (tree::find(conn)?, public_log::count_refused(conn)?);
            let notices = notifications::counts(conn)?;
            let backup = checked_backups::newest(conn, 1)?.pop();
            Ok((games::count_by_status(conn)?, log, standbys(conn)?, notices, backup))
        };
        match timeout(COUNTED_WITHIN, self.database.read(count)).await {
            Ok(Ok((counted, (log, refused), standbys, notices, backup))) => {
                if let Some(backup) = backup {
                    let age = milliseconds(self.clock.now()).saturating_sub(backup.made_at.milliseconds());
                    self.metrics.backup_age(Duration::from_millis(age.max(0).unsigned_abs()));
                }
                self.metrics.notices(notices);
                let entries = log.map_or((0, 0), |log| (log.size, log.signed_size));
                if let Some(standbys) = standbys {
                    self.metrics.standbys(&standbys);
                }
                self.metrics.log_entries("stored", entries.0);
                self.metrics.log_entries("signed", entries.1);
                self.metrics.log_entries("refused", refused);
                for status in
                    [GameStatus::Lobby, GameStatus::Playing, GameStatus::Finished, GameStatus::Abandoned]
                {
                    let count = counted.iter().find(|(name, _)| name == status.as_str());
                    self.metrics.games(status.as_str(), count.map_or(0, |(_, count)| *count));
                }
            }
            Ok(Err(error)) => tracing::warn!(%error, "games cannot be counted"),
            Err(_) => tracing::warn!("counting games takes too long"),
        }
        self.metrics.hashing(self.hasher.waiting());
        self.metrics.database(&self.database);
        for (job, games) in self.skipped_games.counts(Instant::now()) {
            self.metrics.passed_over(job.as_str(), games);
        }
        self.metrics.process();
        self.metrics.render()
    }
}
