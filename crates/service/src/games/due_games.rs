//! The queue of games whose timers this node must check soon.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use estimation_store::GameId;

/// Games to check, and games being checked.
#[derive(Default)]
pub(crate) struct DueGames {
    games: Mutex<Queue>,
    pub(crate) more: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<GameId>,
    /// Whether each must be checked again afterwards.
    busy: HashMap<GameId, bool>,
}

impl DueGames {
    /// Queues a game for a check as soon as possible.
    pub(crate) fn look_at(&self, game: GameId) {
        let mut games = self.lock();
        match games.busy.get_mut(&game) {
            // The running check may have missed the change: check again afterwards.
            Some(again) => *again = true,
            None => {
                games.waiting.push(game);
                self.more.notify_one();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self) -> Vec<GameId> {
        let mut games = self.lock();
        let waiting = std::mem::take(&mut games.waiting);
        waiting.into_iter().filter(|game| games.busy.insert(*game, false).is_none()).collect()
    }

    pub(crate) fn end(&self, game: GameId) {
        let again = self.lock().busy.remove(&game);
        if again == Some(true) {
            self.look_at(game);
        }
    }
}
