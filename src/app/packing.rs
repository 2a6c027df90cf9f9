//! Packing the logs of games that have been over for a while.
//!
//! A job that can be stopped at any moment and taken up by any node: it goes by what is listed and not packed
//! yet. A log is stored packed first, beside its events; only then do those go, a few at a time, so that
//! nobody who plays waits for it. What is packed is read like everything else.

use std::sync::Arc;

use jiff::SignedDuration;

use super::clock::Clock;
use super::failure::{Failure, milliseconds};
use super::handles::Handles;
use super::metrics::Metrics;
use super::skipped_games::{Job, SkippedGames};
use crate::store::event_reads::{self, StoredEvent};
use crate::store::packed::{self, PackedLog};
use crate::store::{Connection, Database, StoreError};

/// How many games are packed in one run.
const AT_ONCE: usize = 4;

/// How many events of a packed game are taken away in one transaction.
const CLEARED: i64 = 200;

/// How many events are read at a time.
const CHUNK: i64 = 500;

pub struct Packing {
    database: Database,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    skipped_games: Arc<SkippedGames>,
    /// How long a game has been over when its log is packed; none where that is never done.
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

    /// Packs the logs of games that have been over for so long, some of them. Returns how many.
    ///
    /// # Errors
    /// What reading and writing met. A log that is not what its end says is passed over, and stays as it is.
    pub async fn pack(&self, over_for: SignedDuration) -> Result<usize, Failure> {
        let before = milliseconds(self.clock.now().saturating_sub(over_for).map_err(defect)?);
        let skip = self.skipped_games.paused(Job::Pack);
        let games = self.database.read(move |conn| packed::unpacked(conn, before, &skip, AT_ONCE)).await?;
        let mut packed = 0;
        for game in &games {
            match self.pack_one(game).await {
                Ok(()) => {
                    self.skipped_games.handled(Job::Pack, game);
                    self.metrics.packed(1);
                    packed += 1;
                }
                Err(failure) => self.skipped_games.skip(Job::Pack, game, failure)?,
            }
        }
        Ok(packed)
    }

    /// Packs what the setting says.
    pub(super) async fn pack_due(&self) -> Result<(), Failure> {
        if let Some(over_for) = self.after {
            self.pack(over_for).await?;
        }
        Ok(())
    }

    async fn pack_one(&self, game: &str) -> Result<(), Failure> {
        let id = game.to_owned();
        // Brotli takes its time, which is why it has it here and not in the transaction.
        let log = self.database.read(move |conn| packed_log(conn, &id)).await?;
        let inserted = self.database.write(move |conn| packed::insert(conn, &log)).await;
        match inserted {
            // Another node was faster.
            Ok(()) | Err(StoreError::Constraint { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let now = milliseconds(self.clock.now());
        loop {
            let id = game.to_owned();
            if self.database.write(move |conn| packed::clear(conn, &id, CLEARED, now)).await? {
                return Ok(());
            }
        }
    }
}

fn packed_log(conn: &mut Connection, game: &str) -> Result<PackedLog, StoreError> {
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
