//! Recent states, so that a command need not load one. It holds committed states only, and nothing rests on
//! it: an append against an outdated state conflicts, a refusal and a read check the head first.

use std::sync::Arc;

use quick_cache::sync::Cache;
use uuid::Uuid;

use super::loaded_game::LoadedGame;

const KEPT: usize = 4096;

/// The states of games that were in use lately.
pub(super) struct GameCache(Cache<Uuid, Arc<LoadedGame>>);

impl GameCache {
    pub(super) fn new() -> GameCache {
        GameCache(Cache::new(KEPT))
    }

    pub(super) fn get(&self, game: &Uuid) -> Option<Arc<LoadedGame>> {
        self.0.get(game)
    }

    /// Keeps a committed state, unless a newer one is kept already.
    pub(super) fn keep(&self, loaded: &Arc<LoadedGame>) {
        let newer = self.0.peek(&loaded.id).is_some_and(|kept| kept.version > loaded.version);
        if !newer {
            self.0.insert(loaded.id, Arc::clone(loaded));
        }
    }

    /// Drops a state that has proved outdated or uncertain. A newer one, kept meanwhile, stays: where many
    /// commands lose to the same one, none of them has to load the game.
    pub(super) fn forget(&self, game: &Uuid, outdated: u64) {
        self.0.remove_if(game, |kept| kept.version <= outdated);
    }
}
