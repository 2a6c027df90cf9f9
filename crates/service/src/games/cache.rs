//! A cache of recent committed states. Correctness does not depend on it: an append to an outdated state
//! conflicts, and refusals and reads check the head first.

use std::sync::Arc;

use quick_cache::sync::Cache;

use super::loaded_game::LoadedGame;
use estimation_store::GameId;

/// Games that go on. Each can move at any time.
const KEPT: usize = 4096;

/// Ended games. Clients look at them once more, and jobs list and count them. With as many as of those that go on, a
/// node's memory would grow for hours.
const KEPT_ENDED: usize = 256;

pub(crate) struct GameCache {
    open: Cache<GameId, Arc<LoadedGame>>,
    ended: Cache<GameId, Arc<LoadedGame>>,
}

impl Default for GameCache {
    fn default() -> GameCache {
        GameCache { open: Cache::new(KEPT), ended: Cache::new(KEPT_ENDED) }
    }
}

impl GameCache {
    pub(super) fn get(&self, game: &GameId) -> Option<Arc<LoadedGame>> {
        self.open.get(game).or_else(|| self.ended.get(game))
    }

    /// Keeps a committed state unless the cache has a newer one.
    pub(super) fn keep(&self, loaded: &Arc<LoadedGame>) {
        let newer = |kept: Option<Arc<LoadedGame>>| kept.is_some_and(|kept| kept.version > loaded.version);
        if newer(self.open.peek(&loaded.id)) || newer(self.ended.peek(&loaded.id)) {
            return;
        }
        let (now, before) =
            if loaded.game.is_over() { (&self.ended, &self.open) } else { (&self.open, &self.ended) };
        now.insert(loaded.id, Arc::clone(loaded));
        before.remove_if(&loaded.id, |kept| kept.version <= loaded.version);
    }

    /// Drops a state that is outdated or uncertain. A newer cached state stays, so that many conflicting
    /// commands do not each reload the game.
    pub(super) fn forget(&self, game: &GameId, outdated: u64) {
        for cache in [&self.open, &self.ended] {
            cache.remove_if(game, |kept| kept.version <= outdated);
        }
    }
}
