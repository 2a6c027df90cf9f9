//! The list of ended games: what is over is signed and put on the list, in the background, by one node at a
//! time. Owns the job, and the list on its way out.

mod job;
mod published;

pub use published::{ListPage, published};

use std::sync::Arc;

use super::clock::Clock;
use super::handles::Handles;
use super::skipped_games::SkippedGames;
use crate::auth::active_keys::ActiveKeys;
use crate::store::Database;

pub struct TransparencyLog {
    database: Database,
    clock: Arc<dyn Clock>,
    keys: Arc<ActiveKeys>,
    skipped_games: Arc<SkippedGames>,
}

impl TransparencyLog {
    pub(super) fn new(
        handles: &Handles,
        keys: Arc<ActiveKeys>,
        skipped_games: Arc<SkippedGames>,
    ) -> TransparencyLog {
        let Handles { database, clock, .. } = handles.clone();
        TransparencyLog { database, clock, keys, skipped_games }
    }
}
