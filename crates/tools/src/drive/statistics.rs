//! Statistics of a run: commands, latencies, retries.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::latency::{Latencies, Percentiles};
use estimation_audit::Failed;

/// The number of events per depth step, and the number of steps.
const STEP: usize = 200;
const DEPTHS: usize = 8;

/// The statistics of a run, shared by all players.
pub(super) struct Statistics(Mutex<Measured>);

/// The measurements of a run.
pub(super) struct Measured {
    pub(super) counts: Counts,
    /// Of accepted commands.
    pub(super) latency: Latencies,
    /// The same by the number of events in the game: one histogram per [`STEP`], the last for all longer
    /// games.
    by_depth: Vec<Latencies>,
    /// From a command until the stream of the next player to act has the turn.
    pub(super) turn_latency: Latencies,
    /// Of extra reads.
    pub(super) read_latency: Latencies,
    /// Commands outside the counted time.
    uncounted: u64,
    /// The time of the last counted response.
    pub(super) last: Option<Instant>,
}

/// The counts of a run.
#[derive(Clone, Default, Serialize)]
pub(super) struct Counts {
    /// Games played to their end.
    pub(super) finished: u64,
    /// Views requested for playing.
    pub(super) looks: u64,
    /// Extra reads.
    pub(super) reads: u64,
    /// Stream frames received with ids in order, while commands counted.
    pub(super) stream_frames: u64,
    /// Commands whose outcome was unknown at first.
    pub(super) unknown_outcomes: u64,
    /// Commands for an outdated version.
    pub(super) stale_commands: u64,
    /// Requests that were repeated because the service asked for it.
    pub(super) deferred_requests: u64,
    pub(super) refreshed_sessions: u64,
    /// Illegal commands that were refused.
    pub(super) refusals: u64,
    /// Revokes that were committed.
    pub(super) revokes: u64,
    /// Events that were compared with the logs.
    pub(super) verified_events: u64,
}

/// Latencies of commands in games with this many events.
#[derive(Serialize)]
pub(super) struct Depth {
    from_event: usize,
    commands: u64,
    #[serde(flatten)]
    latency_ms: Percentiles,
}

impl Statistics {
    pub(super) fn new() -> Result<Statistics, Failed> {
        let histogram = || Latencies::new().map_err(|error| format!("no histogram: {error:?}"));
        Ok(Statistics(Mutex::new(Measured {
            counts: Counts::default(),
            latency: histogram()?,
            by_depth: (0..DEPTHS).map(|_| histogram()).collect::<Result<_, _>>()?,
            turn_latency: histogram()?,
            read_latency: histogram()?,
            uncounted: 0,
            last: None,
        })))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Measured> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the counts.
    pub(super) fn count(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.lock().counts);
    }

    /// Counts a command accepted in a game with this many events. Returns the number of accepted commands.
    pub(super) fn command(&self, latency: Duration, events: u64, counts: bool) -> u64 {
        let depth = usize::try_from(events).unwrap_or(usize::MAX) / STEP;
        let mut all = self.lock();
        if counts {
            all.last = Some(Instant::now());
            all.latency.record(latency);
            all.by_depth[depth.min(DEPTHS - 1)].record(latency);
        } else {
            all.uncounted += 1;
        }
        all.latency.count() + all.uncounted
    }

    /// Records how long it took until the next player had the turn.
    pub(super) fn turn(&self, latency: Duration) {
        self.lock().turn_latency.record(latency);
    }

    /// Counts an extra read.
    pub(super) fn read(&self, latency: Duration) {
        let mut all = self.lock();
        all.counts.reads += 1;
        all.read_latency.record(latency);
    }
}

impl Measured {
    /// Latencies by the number of events in the game, where there are any.
    pub(super) fn by_depth(&self) -> Vec<Depth> {
        let depth = |(number, latency): (usize, &Latencies)| Depth {
            from_event: number * STEP,
            commands: latency.count(),
            latency_ms: latency.percentiles(),
        };
        self.by_depth.iter().enumerate().map(depth).filter(|depth| depth.commands > 0).collect()
    }
}

/// Measures elapsed time and the processor time used in it.
pub(super) struct Stopwatch {
    started: Instant,
    busy: Duration,
}

impl Stopwatch {
    /// Starts a stopwatch whose measurement begins at `from`.
    pub(super) fn started(from: Instant) -> Stopwatch {
        Stopwatch { started: from, busy: processor_time() }
    }

    /// The elapsed time, and the share of one processor used in it.
    pub(super) fn read(&self) -> (Duration, f64) {
        let (passed, busy) = (self.started.elapsed(), processor_time().saturating_sub(self.busy));
        (passed, busy.as_secs_f64() / passed.as_secs_f64().max(1e-9))
    }
}

/// The processor time used since the process started.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(not(unix))]
fn processor_time() -> Duration {
    Duration::ZERO
}
