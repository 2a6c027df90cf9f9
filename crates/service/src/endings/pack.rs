//! Packs (compresses) the logs of games that ended some time ago.
//!
//! It stores the packed log first, then deletes the events in small batches, so that players do not wait. Packed logs are
//! read like all others.

use std::time::Duration;

use jiff::SignedDuration;

use super::Endings;
use crate::base::failure::{Failure, milliseconds};
use crate::base::pacing::PacedJob;
use crate::games::skipped_games::Job;
use estimation_store::ended_games;
use estimation_store::event_reads;
use estimation_store::packed::{self, PackedLog, Packer};
use estimation_store::{Connection, GameId, StoreError};

/// Games packed per run.
const BATCH: usize = 4;

/// Events deleted per transaction.
const CLEARED: i64 = 100;

/// Events packed in a piece.
const CHUNK: i64 = 200;

impl Endings {
    /// Packs some logs of games that ended at least `over_for` ago. Returns how many. Skips a log that does
    /// not match its recorded end.
    pub async fn pack(&self, over_for: SignedDuration) -> Result<usize, Failure> {
        let before = milliseconds(self.clock.now().saturating_sub(over_for).map_err(defect)?);
        let skip = self.skipped_games.paused(Job::Pack);
        let games = self.database.read(move |conn| packed::unpacked(conn, before, &skip, BATCH)).await?;
        let mut packed = 0;
        for game in games {
            let result = self.pack_one(game).await;
            match self.skipped_games.settle(Job::Pack, game, result)? {
                Some(true) => {
                    self.metrics.packed(1);
                    packed += 1;
                }
                // Another node does a step.
                Some(false) => return Ok(packed),
                None => {}
            }
        }
        Ok(packed)
    }

    /// Packs according to the configuration.
    pub(crate) async fn pack_due(&self) -> Result<(), Failure> {
        if let Some(over_for) = self.pack_after.filter(|_| !self.games.has_newer_games()) {
            self.pack(over_for).await?;
        }
        Ok(())
    }

    /// Packs the log of a game. Returns false if another node does a step.
    async fn pack_one(&self, game: GameId) -> Result<bool, Failure> {
        // Brotli is slow, so it runs in reads, not in the write transaction.
        let mut packer = Box::new(Packer::new(game));
        let log = loop {
            let piece = move |conn: &mut Connection| pack_more(conn, packer);
            match self.pacer.read(PacedJob::Pack, Duration::ZERO, piece).await? {
                Step::More(more) => packer = more,
                Step::Packed(log) => break log,
            }
        };
        let insert = move |conn: &mut Connection| match ended_games::lead(conn)? {
            true => packed::insert(conn, &log).map(|()| true),
            false => Ok(false),
        };
        if !self.pacer.write(PacedJob::Pack, Duration::ZERO, insert).await? {
            return Ok(false);
        }
        let now = milliseconds(self.clock.now());
        let clear = move |conn: &mut Connection| packed::clear(conn, game, CLEARED, now);
        while !self.pacer.write(PacedJob::Pack, Duration::ZERO, clear).await? {}
        Ok(true)
    }
}

/// What a piece of packing ends with.
enum Step {
    More(Box<Packer>),
    Packed(PackedLog),
}

fn pack_more(conn: &mut Connection, mut packer: Box<Packer>) -> Result<Step, StoreError> {
    let events = event_reads::after(conn, packer.game(), packer.seq(), CHUNK)?;
    packer.add(&events)?;
    if events.len() as i64 == CHUNK { Ok(Step::More(packer)) } else { Ok(Step::Packed(packer.finish()?)) }
}

fn defect(error: jiff::Error) -> Failure {
    Failure::Defect(error.to_string())
}
