//! Timers: the service moves for bots and expired turns, and ends abandoned games.
//!
//! Deadlines follow from the record ([`TurnClock`](estimation_record::turn_clock::TurnClock)); the game's row says when to
//! check. Any node may check; the game's version ensures that each action happens once.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use crate::base::clock_watch::NodeClock;
use crate::base::failure::{Failure, milliseconds};
use crate::base::metrics::Metrics;
use crate::games::due_games::{Cause, DueGames};
use crate::games::idempotency::Reservation;
use crate::games::skipped_games::{Job, SkippedGames};
use crate::games::{Games, LoadedGame};
use crate::readiness::Outages;
use estimation_engine::command::{Actor, By};
use estimation_engine::decide::decide;
use estimation_engine::event::Events;
use estimation_engine::table::{Decided, expire, fail_opening};
use estimation_record::turn_clock::{Deadline, TimedAction, TurnClock};
use estimation_store::games::{self, TimerPosition};
use estimation_store::{Database, GameId, Server};

pub(super) struct Timers {
    pub(crate) database: Database,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) games: Arc<Games>,
    pub(crate) node_clock: Arc<NodeClock>,
    pub(crate) due: Arc<DueGames>,
    pub(crate) skipped_games: Arc<SkippedGames>,
    pub(crate) outages: Arc<Outages>,
}

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

/// The most by which failures of the node extend an opening of client seeds.
const LONGEST_OUTAGE: SignedDuration = SignedDuration::from_mins(10);

/// Waits without a slot. Returns one; `None` if the node stops.
async fn wait(slot: OwnedSemaphorePermit, until: Instant) -> Option<OwnedSemaphorePermit> {
    let slots = Arc::clone(slot.semaphore());
    drop(slot);
    sleep_until(until).await;
    slots.acquire_owned().await.ok()
}

impl Timers {
    /// Performs every due action at a table. Gives up the slot while it waits for the time of a bot's turn.
    async fn perform(
        self: &Arc<Timers>,
        id: GameId,
        mut cause: Cause,
        mut slot: OwnedSemaphorePermit,
    ) -> Result<(), Failure> {
        loop {
            let loaded = self.games.present(id).await?;
            let Some(next) = self.games.schedule(&loaded) else { return Ok(()) };
            let now = self.node_clock.now();
            let due = self.with_added_time(next.deadline, loaded.turn_clock);
            let is_bots = matches!(due.duty, TimedAction::Bot(_));
            // Another node's clock decides, or this one once its clock is correct again.
            if !is_bots && !self.node_clock.is_trusted() {
                return Ok(());
            }
            // The node that made a bot's turn due plays it. Others take over when the time in the row has come.
            let is_own = is_bots && cause == Cause::Changed;
            if due.at.timestamp() > now && !is_own {
                let to = if is_bots { next.wake_at } else { milliseconds(due.at.timestamp()) };
                if self.postpone(&loaded, to).await? {
                    return Ok(());
                }
                continue;
            }
            let delay = self.games.bot_delay().filter(|_| is_bots);
            let until = delay.map(|delay| {
                let left = due.at.timestamp().duration_since(now);
                Instant::now() + delay.wait(left.try_into().unwrap_or_default())
            });
            // Before the wait, so that its time does not tell how long the search took.
            let decided = self.decide_due(&loaded, due.duty).await?;
            if let Some(until) = until {
                let Some(again) = wait(slot, until).await else { return Ok(()) };
                slot = again;
            }
            let lag = self.node_clock.now().duration_since(due.at.timestamp());
            self.metrics.timer_lag(lag.try_into().unwrap_or_default());
            // If another change was faster, the next iteration finds what is due.
            let is_done = self.games.change_on(&loaded, decided, &Reservation::of_server(Vec::new())).await?;
            cause = if is_done { Cause::Changed } else { Cause::Overdue };
        }
    }

    /// Extends a deadline by clock jumps since the wait began. Bots get no extension. The time for an opening of client
    /// seeds begins again with each failure of this node: a missed opening counts against the player.
    fn with_added_time(&self, due: Deadline, turn_clock: TurnClock) -> Deadline {
        let began = match due.duty {
            TimedAction::Bot(_) => return due,
            TimedAction::Clock(_) | TimedAction::Opening => turn_clock.turn,
            TimedAction::Expiry => turn_clock.last,
        };
        let mut added = self.node_clock.added_time(began.timestamp());
        if due.duty == TimedAction::Opening {
            let lost = self.outages.last().duration_since(began.timestamp());
            added += lost.clamp(SignedDuration::ZERO, LONGEST_OUTAGE);
        }
        Deadline { at: due.at.plus(added), ..due }
    }

    /// Postpones the row's `wake_at` to a time, if it is earlier. Returns false if the game has
    /// advanced and another action may be due.
    ///
    /// The row is read before the state is confirmed as present. A later move writes another value than was
    /// read, so it is not overwritten.
    async fn postpone(&self, loaded: &LoadedGame, to: i64) -> Result<bool, Failure> {
        let id = loaded.id;
        let row = self.database.read(move |conn| games::find(conn, id)).await?;
        let known = row.and_then(|row| row.wake_at);
        if self.games.is_outdated(loaded).await? {
            return Ok(false);
        }
        if let Some(from) = known.filter(|&from| from < to) {
            self.database.write(Server, move |conn| games::postpone_timer(conn, id, from, to)).await?;
        }
        Ok(true)
    }

    async fn decide_due(&self, loaded: &LoadedGame, duty: TimedAction) -> Result<Decided, Failure> {
        let (by, position) = match duty {
            TimedAction::Bot(position) => (By::Bot, position),
            TimedAction::Clock(position) => (By::Clock, position),
            TimedAction::Opening => return Ok(fail_opening(&loaded.game, &mut self.games.chance(loaded))?),
            TimedAction::Expiry => return Ok(expire(&loaded.game, &mut self.games.chance(loaded))?),
        };
        let actor = Actor::acting(by, position);
        let command = self.games.choice(loaded, by, position).await?;
        let events: Events = decide(&loaded.game, actor, &command, &mut self.games.chance(loaded))?;
        Ok(Decided::led(actor, events))
    }
}
