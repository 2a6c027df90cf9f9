//! The timer worker of a node: it checks games when they are due, and at once after local changes.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::Timers;
use crate::base::failure::{Failure, milliseconds};
use crate::games::due_games::Cause;
use crate::games::skipped_games::Job;
use estimation_store::games::{self, TimerPosition};

/// The interval of queries for due games.
const PERIOD: Duration = Duration::from_secs(1);

/// The delay after a deadline before the worker acts. Moves sent in time arrive within it, and the node that
/// made a game due acts first.
const GRACE: Duration = Duration::from_millis(400);

/// Due games read per query.
const PAGE: usize = 256;

/// The most pages read before queued games get their turn.
const PAGES: usize = 16;

/// Games checked concurrently. Those that wait for the time of a bot's turn do not count.
const SIDE_BY_SIDE: usize = 32;

impl Timers {
    /// Checks due games until dropped.
    pub(crate) async fn run(self: Arc<Timers>) {
        // Before any timer fires.
        if let Err(error) = self.node_clock.compare().await {
            tracing::warn!(%error, "cannot compare the clock with the database server's");
        }
        let side_by_side = Arc::new(Semaphore::new(SIDE_BY_SIDE));
        let mut tasks = JoinSet::new();
        let mut ticks = interval(PERIOD);
        let mut place = None;
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            for (game, cause) in self.due.begin() {
                let Ok(slot) = Arc::clone(&side_by_side).acquire_owned().await else { return };
                let timers = Arc::clone(&self);
                tasks.spawn(async move {
                    let result = timers.perform(game, cause, slot).await;
                    if let Err(error) = timers.skipped_games.settle(Job::Timers, game, result) {
                        tracing::warn!(%game, %error, "a game's timer could not run");
                    }
                    timers.due.end(game);
                });
            }
            while tasks.try_join_next().is_some() {}
            tokio::select! {
                () = self.due.more.notified() => {}
                _ = ticks.tick() => match self.find_due_timers(place.take()).await {
                    Ok(next) => place = next,
                    Err(error) => tracing::warn!(%error, "cannot read which games have due timers"),
                },
            }
        }
    }

    /// Queues the due games after a position. Returns where to continue, so that unreadable games, which stay
    /// due, do not block others.
    async fn find_due_timers(
        &self,
        mut place: Option<TimerPosition>,
    ) -> Result<Option<TimerPosition>, Failure> {
        let by = milliseconds(self.node_clock.time_for_timers()) - GRACE.as_millis() as i64;
        let paused = self.skipped_games.paused(Job::Timers);
        for _ in 0..PAGES {
            let page =
                self.database.read(move |conn| games::due(conn, by, place.as_ref(), PAGE as i64)).await?;
            for (_, game) in page.iter().filter(|(_, game)| !paused.contains(game)) {
                self.due.look_at(*game, Cause::Overdue);
            }
            if page.len() < PAGE {
                return Ok(None);
            }
            place = page.into_iter().last();
        }
        Ok(place)
    }
}
