//! Acts at one table, move by move, until a person must act.

use std::sync::Arc;

use jiff::SignedDuration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep_until};

use super::Timers;
use crate::base::failure::{Failure, milliseconds};
use crate::games::LoadedGame;
use crate::games::due_games::Cause;
use crate::games::idempotency::Reservation;
use estimation_engine::command::{Actor, By};
use estimation_engine::decide::decide;
use estimation_engine::event::Events;
use estimation_engine::table::{Decided, expire, fail_opening};
use estimation_record::turn_clock::{Deadline, TimedAction, TurnClock};
use estimation_store::{GameId, Server, games};

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
    pub(super) async fn perform(
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
