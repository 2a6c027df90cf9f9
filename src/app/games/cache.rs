//! A cache of recent committed states. Correctness does not depend on it: an append to an outdated state
//! conflicts, and refusals and reads check the head first.

use std::sync::Arc;

use quick_cache::sync::Cache;

use super::loaded_game::LoadedGame;
use crate::store::GameId;

const KEPT: usize = 4096;

pub(super) struct GameCache(Cache<GameId, Arc<LoadedGame>>);

impl GameCache {
    pub(super) fn new() -> GameCache {
        GameCache(Cache::new(KEPT))
    }

    pub(super) fn get(&self, game: &GameId) -> Option<Arc<LoadedGame>> {
        self.0.get(game)
    }

    /// Keeps a committed state unless the cache has a newer one.
    pub(super) fn keep(&self, loaded: &Arc<LoadedGame>) {
        let newer = self.0.peek(&loaded.id).is_some_and(|kept| kept.version > loaded.version);
        if !newer {
            self.0.insert(loaded.id, Arc::clone(loaded));
        }
    }

    /// Drops a state that is outdated or uncertain. A newer cached state stays, so that many conflicting
    /// commands do not each reload the game.
    pub(super) fn forget(&self, game: &GameId, outdated: u64) {
        self.0.remove_if(game, |kept| kept.version <= outdated);
    }
}
