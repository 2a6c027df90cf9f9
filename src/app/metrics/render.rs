//! Metrics on their way out, in the text format of Prometheus.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::Metrics;
use crate::app::handles::Handles;
use crate::app::skipped_games::SkippedGames;
use crate::auth::hashing::PasswordHasher;
use crate::engine::game::Status;
use crate::store::{Database, games};

/// How long the database may take to count games while a scrape waits.
const COUNTED_WITHIN: Duration = Duration::from_secs(1);

impl Metrics {
    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Takes in what was recorded since the last time. Has to be done now and then, scraped or not: until
    /// then each value of a distribution is held one by one.
    pub(in crate::app) fn upkeep(&self) {
        self.handle.run_upkeep();
    }
}

/// Takes stock of what a node is asked for when it is scraped.
pub struct Monitoring {
    database: Database,
    metrics: Arc<Metrics>,
    hasher: Arc<PasswordHasher>,
    skipped_games: Arc<SkippedGames>,
}

impl Monitoring {
    pub(in crate::app) fn new(
        handles: &Handles,
        hasher: Arc<PasswordHasher>,
        skipped_games: Arc<SkippedGames>,
    ) -> Monitoring {
        let Handles { database, metrics, .. } = handles.clone();
        Monitoring { database, metrics, hasher, skipped_games }
    }

    /// Everything counted so far, with the games by status and what the process uses. Where the database does
    /// not answer, the games are as they were.
    pub async fn scrape(&self) -> String {
        match timeout(COUNTED_WITHIN, self.database.read(games::count_by_status)).await {
            Ok(Ok(counted)) => {
                for status in [Status::Lobby, Status::Playing, Status::Finished, Status::Abandoned] {
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
            self.metrics.passed_over(job, games);
        }
        self.metrics.process();
        self.metrics.render()
    }
}
