//! Acts at one table, move by move, until a person must act.

use std::sync::Arc;

use jiff::SignedDuration;

use super::Timers;
use crate::base::failure::milliseconds;
use crate::games::LoadedGame;
use crate::games::failure::GameFailure;
use estimation_engine::command::{Actor, By};
use estimation_engine::decide::decide;
use estimation_engine::event::Events;
use estimation_engine::table::{Decided, expire, fail_opening};
use estimation_record::turn_clock::{Deadline, TimedAction, TurnClock};
use estimation_store::{GameId, games};

/// The most by which failures of the node extend an opening of client seeds.
const LONGEST_OUTAGE: SignedDuration = SignedDuration::from_mins(10);

impl Timers {
    /// Performs every due action at a table.
    pub(super) async fn perform(self: &Arc<Timers>, id: GameId) -> Result<(), GameFailure> {
        loop {
            let loaded = self.games.present(id).await?;
            let Some(due) = loaded.turn_clock.due(&loaded.game) else { return Ok(()) };
            let now = self.node_clock.now();
            let due = self.with_added_time(due, loaded.turn_clock);
            // Another node's clock decides, or this one once its clock is correct again.
            if !matches!(due.duty, TimedAction::Bot(_)) && !self.node_clock.is_trusted() {
                return Ok(());
            }
            if due.at.timestamp() > now {
                if self.postpone(&loaded, due).await? {
                    return Ok(());
                }
                continue;
            }
            let lag = now.duration_since(due.at.timestamp());
            self.metrics.timer_lag(lag.try_into().unwrap_or_default());
            let decided = self.decide_due(&loaded, due.duty).await?;
            // If another change was faster, the next iteration finds what is due.
            self.games.change_on(&loaded, decided).await?;
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

    /// Postpones the row's `wake_at` to the deadline, if it is earlier. Returns false if the game has
    /// advanced and another action may be due.
    ///
    /// The row is read before the state is confirmed as present. A later move writes another value than was
    /// read, so it is not overwritten.
    async fn postpone(&self, loaded: &LoadedGame, due: Deadline) -> Result<bool, GameFailure> {
        let id = loaded.id;
        let row = self.database.read(move |conn| games::find(conn, id)).await?;
        let known = row.and_then(|row| row.wake_at);
        if self.games.is_outdated(loaded).await? {
            return Ok(false);
        }
        let to = milliseconds(due.at.timestamp());
        if let Some(from) = known.filter(|&from| from < to) {
            self.database.write(move |conn| games::postpone_timer(conn, id, from, to)).await?;
        }
        Ok(true)
    }

    async fn decide_due(&self, loaded: &LoadedGame, duty: TimedAction) -> Result<Decided, GameFailure> {
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
