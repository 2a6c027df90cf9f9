//! Limits what background jobs take from players.
//!
//! A job does its work in pieces: reads and writes of a few games or events. The pieces of all jobs take turns. While
//! players play, each piece is followed by a pause of nine times the processor time that it took. So all jobs together
//! take at most a tenth of a core, and the writer has a piece of them in few batches. A job that is late, for example
//! with the signing of ended games, pauses shorter. When nobody plays there are no pauses.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::Mutex;
use tokio::time::sleep;

use super::metrics::Metrics;
use estimation_store::{Connection, Database, Server, StoreError};

/// Nobody plays if no event was appended for so long.
const QUIET: Duration = Duration::from_millis(50);

/// A piece is urgent if what it works on has waited for so long.
const LATE: Duration = Duration::from_secs(20);

/// The pause after a piece, in times of what the piece took.
const PAUSE: u32 = 9;
const SHORT_PAUSE: u32 = 1;

pub(crate) struct Pacer {
    database: Database,
    metrics: Arc<Metrics>,
    turn: Mutex<()>,
}

impl Pacer {
    pub(crate) fn new(database: Database, metrics: Arc<Metrics>) -> Pacer {
        Pacer { database, metrics, turn: Mutex::default() }
    }

    /// Runs a piece like [`Database::read`], in its turn. What it works on has waited for `waited`.
    ///
    /// # Errors
    /// As [`Database::read`].
    pub(crate) async fn read<T, F>(&self, job: PacedJob, waited: Duration, read: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let _turn = self.turn.lock().await;
        let timed = move |conn: &mut Connection| {
            let before = processor_time();
            let value = read(conn)?;
            Ok((value, processor_time().saturating_sub(before)))
        };
        let (value, took) = self.database.read(timed).await?;
        self.pause(job, PieceThread::Reader, took, waited).await;
        Ok(value)
    }

    /// Runs a piece like [`Database::write`], in its turn. What it works on has waited for `waited`.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub(crate) async fn write<T, F>(
        &self,
        job: PacedJob,
        waited: Duration,
        mut write: F,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let _turn = self.turn.lock().await;
        let timed = move |conn: &mut Connection| {
            let begun = Instant::now();
            let value = write(conn)?;
            Ok::<_, StoreError>((value, begun.elapsed()))
        };
        let (value, took) = self.database.write(Server, timed).await?;
        self.pause(job, PieceThread::Writer, took, waited).await;
        Ok(value)
    }

    async fn pause(&self, job: PacedJob, thread: PieceThread, took: Duration, waited: Duration) {
        self.metrics.background(job, thread, took);
        let until = Instant::now() + pause_after(took, waited);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.database.since_last_append() > QUIET {
                return;
            }
            sleep(left.min(QUIET)).await;
        }
    }
}

fn pause_after(took: Duration, waited: Duration) -> Duration {
    took * if waited < LATE { PAUSE } else { SHORT_PAUSE }
}

/// How long something has waited since a time.
pub(crate) fn waited(now: Timestamp, since: Timestamp) -> Duration {
    now.duration_since(since).try_into().unwrap_or_default()
}

/// The processor time of this thread.
fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// A job that works in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacedJob {
    /// Verifies and signs ended games.
    Sign,
    /// Gives the ends of games to the public log.
    Log,
    /// Counts ended games.
    Count,
    /// Packs logs.
    Pack,
    /// Grows the public log.
    Grow,
}

impl PacedJob {
    pub const ALL: [PacedJob; 5] =
        [PacedJob::Sign, PacedJob::Log, PacedJob::Count, PacedJob::Pack, PacedJob::Grow];

    /// Its name in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            PacedJob::Sign => "sign",
            PacedJob::Log => "log",
            PacedJob::Count => "count",
            PacedJob::Pack => "pack",
            PacedJob::Grow => "grow",
        }
    }
}

/// Where a piece runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceThread {
    Reader,
    Writer,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nine parts of pause for one of work are a tenth of a core.
    #[test]
    fn a_piece_is_followed_by_nine_times_its_time_unless_it_is_late() {
        let took = Duration::from_millis(2);
        assert_eq!(pause_after(took, Duration::ZERO), Duration::from_millis(18));
        assert_eq!(pause_after(took, Duration::from_secs(19)), Duration::from_millis(18));
        assert_eq!(pause_after(took, Duration::from_secs(20)), Duration::from_millis(2));
    }

    #[test]
    fn what_a_clock_sets_back_has_not_waited() {
        let now = Timestamp::UNIX_EPOCH;
        let later = now + Duration::from_secs(3);
        assert_eq!(waited(later, now), Duration::from_secs(3));
        assert_eq!(waited(now, later), Duration::ZERO);
    }
}
