//! The games that this node has to look at, as other services name them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use uuid::Uuid;

/// The games that this node is to look at, and those it is looking at.
#[derive(Default)]
pub(in crate::app) struct DueGames {
    games: Mutex<Queue>,
    pub(super) more: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<Uuid>,
    /// Whether each has to be looked at again afterwards.
    busy: HashMap<Uuid, bool>,
}

impl DueGames {
    /// Has a game looked at as soon as possible.
    pub(in crate::app) fn look_at(&self, game: Uuid) {
        let mut games = self.lock();
        match games.busy.get_mut(&game) {
            // The task at it may have looked already: once more afterwards.
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

    pub(super) fn begin(&self) -> Vec<Uuid> {
        let mut games = self.lock();
        let waiting = std::mem::take(&mut games.waiting);
        waiting.into_iter().filter(|game| games.busy.insert(*game, false).is_none()).collect()
    }

    pub(super) fn end(&self, game: Uuid) {
        let again = self.lock().busy.remove(&game);
        if again == Some(true) {
            self.look_at(game);
        }
    }
}
