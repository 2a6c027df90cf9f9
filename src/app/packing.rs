//! Packs (compresses) the logs of games that ended some time ago.
//!
//! Any node may run or stop this job at any moment: it selects listed games that are not packed yet. It
//! stores the packed log first, then deletes the events in small batches, so that players do not wait. Packed
//! logs are read like all others.

use std::sync::Arc;

use jiff::SignedDuration;

use super::clock::Clock;
use super::failure::{Failure, milliseconds};
use super::handles::Handles;
use super::metrics::Metrics;
use super::skipped_games::{Job, SkippedGames};
use crate::store::event_reads::{self, StoredEvent};
use crate::store::packed::{self, PackedLog};
use crate::store::{Connection, Database, GameId, StoreError};

/// Games packed per run.
const BATCH: usize = 4;

/// Events deleted per transaction.
const CLEARED: i64 = 200;

/// Events read per query.
const CHUNK: i64 = 500;

pub struct Packing {
    database: Database,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    skipped_games: Arc<SkippedGames>,
    /// How long after its end a game is packed; `None` for never.
    after: Option<SignedDuration>,
}

impl Packing {
    pub(super) fn new(
        handles: &Handles,
        skipped_games: Arc<SkippedGames>,
        after: Option<SignedDuration>,
    ) -> Packing {
        let Handles { database, clock, metrics, .. } = handles.clone();
        Packing { database, clock, metrics, skipped_games, after }
    }

    /// Packs some logs of games that ended at least `over_for` ago. Returns how many. Skips a log that does
    /// not match its recorded end.
    pub async fn pack(&self, over_for: SignedDuration) -> Result<usize, Failure> {
        let before = milliseconds(self.clock.now().saturating_sub(over_for).map_err(defect)?);
        let skip = self.skipped_games.paused(Job::Pack);
        let games = self.database.read(move |conn| packed::unpacked(conn, before, &skip, BATCH)).await?;
        let mut packed = 0;
        for game in games {
            let result = self.pack_one(game).await;
            if self.skipped_games.settle(Job::Pack, game, result)?.is_some() {
                self.metrics.packed(1);
                packed += 1;
            }
        }
        Ok(packed)
    }

    /// Packs according to the configuration.
    pub(super) async fn pack_due(&self) -> Result<(), Failure> {
        if let Some(over_for) = self.after {
            self.pack(over_for).await?;
        }
        Ok(())
    }

    async fn pack_one(&self, game: GameId) -> Result<(), Failure> {
        // Brotli is slow, so it runs in the read, not in the write transaction.
        let log = self.database.read(move |conn| packed_log(conn, game)).await?;
        let inserted = self.database.write(move |conn| packed::insert(conn, &log)).await;
        match inserted {
            // Another node was faster.
            Ok(()) | Err(StoreError::Constraint { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let now = milliseconds(self.clock.now());
        loop {
            if self.database.write(move |conn| packed::clear(conn, game, CLEARED, now)).await? {
                return Ok(());
            }
        }
    }
}

fn packed_log(conn: &mut Connection, game: GameId) -> Result<PackedLog, StoreError> {
    let mut log: Vec<StoredEvent> = Vec::new();
    loop {
        let after = log.last().map_or(0, |last| last.seq);
        let chunk = event_reads::after(conn, game, after, CHUNK)?;
        let full = chunk.len() as i64 == CHUNK;
        log.extend(chunk);
        if !full {
            return PackedLog::of(game, &log);
        }
    }
}

fn defect(error: jiff::Error) -> Failure {
    Failure::Defect(error.to_string())
}
