//! The queue of games whose timers this node must check soon.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use estimation_store::GameId;

/// Why a game must be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// This node has just made a bot's turn due, and plays it when its time comes.
    Changed,
    /// The time in the game's row has come.
    Overdue,
}

/// Games to check, and games being checked.
#[derive(Default)]
pub(crate) struct DueGames {
    games: Mutex<Queue>,
    pub(crate) more: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<(GameId, Cause)>,
    /// Why each must be checked again afterwards, if it must.
    busy: HashMap<GameId, Option<Cause>>,
}

impl Queue {
    /// Notes that a game that is being checked must be checked again, because the running check may have missed the change.
    /// Returns false if it is not being checked.
    fn check_again(&mut self, game: GameId, cause: Cause) -> bool {
        let Some(again) = self.busy.get_mut(&game) else { return false };
        if *again != Some(Cause::Changed) {
            *again = Some(cause);
        }
        true
    }
}

impl DueGames {
    /// Queues a game for a check as soon as possible.
    pub(crate) fn look_at(&self, game: GameId, cause: Cause) {
        let mut games = self.lock();
        if !games.check_again(game, cause) {
            games.waiting.push((game, cause));
            self.more.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self) -> Vec<(GameId, Cause)> {
        let mut games = self.lock();
        let mut waiting = std::mem::take(&mut games.waiting);
        waiting.retain(|&(game, cause)| {
            let is_free = !games.check_again(game, cause);
            if is_free {
                games.busy.insert(game, None);
            }
            is_free
        });
        waiting
    }

    pub(crate) fn end(&self, game: GameId) {
        let again = self.lock().busy.remove(&game).flatten();
        if let Some(cause) = again {
            self.look_at(game, cause);
        }
    }
}
