//! The transparency log: a background job verifies ended games, signs their ends and appends them, on one node at a time. Owns the
//! job and the published log.

mod job;
mod published;
mod verification;

pub use published::{ListPage, published};

use std::sync::Arc;

use super::clock::Clock;
use super::handles::Handles;
use super::pacing::Pacer;
use super::public_log::PublicLog;
use super::skipped_games::SkippedGames;
use crate::auth::active_keys::ActiveKeys;
use crate::store::Database;

pub struct TransparencyLog {
    database: Database,
    clock: Arc<dyn Clock>,
    keys: Arc<ActiveKeys>,
    public_log: Arc<PublicLog>,
    skipped_games: Arc<SkippedGames>,
    pacer: Arc<Pacer>,
    damaged: published::DamagedRows,
}

impl TransparencyLog {
    pub(super) fn new(
        handles: &Handles,
        keys: Arc<ActiveKeys>,
        public_log: Arc<PublicLog>,
        skipped_games: Arc<SkippedGames>,
    ) -> TransparencyLog {
        let Handles { database, clock, pacer, .. } = handles.clone();
        let damaged = published::DamagedRows::default();
        TransparencyLog { database, clock, keys, public_log, skipped_games, pacer, damaged }
    }
}
