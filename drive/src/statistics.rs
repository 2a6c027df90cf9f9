//! Statistics of a run: commands, latencies, retries.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hdrhistogram::{CreationError, Histogram};
use serde::Serialize;

/// The maximum recorded latency in microseconds: ten minutes.
const LONGEST: u64 = 600_000_000;

/// The number of events per depth step, and the number of steps.
const STEP: usize = 200;
const DEPTHS: usize = 8;

/// A histogram of latencies.
#[derive(Clone)]
pub struct Latencies(Histogram<u64>);

/// Latency percentiles in milliseconds.
#[derive(Clone, Copy, Serialize)]
pub struct Percentiles {
    p50: f64,
    p95: f64,
    p99: f64,
    max: f64,
}

/// The statistics of a run, shared by all players.
pub struct Statistics(Mutex<Measurements>);

/// The measurements of a run.
pub struct Measurements {
    pub counts: Counts,
    /// Of accepted commands.
    pub latency: Latencies,
    /// The same by the number of events in the game: one histogram per [`STEP`], the last for all longer
    /// games.
    by_depth: Vec<Latencies>,
    /// From a command until the stream of the next player to act has the turn.
    pub turn_latency: Latencies,
    /// The time of the last counted response.
    pub last: Option<Instant>,
}

/// The counts of a run.
#[derive(Clone, Default, Serialize)]
pub struct Counts {
    /// Games played to their end.
    pub finished: usize,
    /// Views requested for playing.
    pub looks: u64,
    /// Extra reads.
    pub reads: u64,
    /// Stream frames received with ids in order, while commands counted.
    pub stream_frames: u64,
    /// Commands whose outcome was unknown at first.
    pub unknown_outcomes: u64,
    /// Requests that were repeated because the service asked for it.
    pub deferred_requests: u64,
    pub refreshed_sessions: u64,
    /// Illegal commands that were refused.
    pub refusals: u64,
    /// Revokes that were committed.
    pub revokes: u64,
    /// Events that were compared with the logs.
    pub verified_events: u64,
}

/// Latencies of commands in games with this many events.
#[derive(Serialize)]
pub struct Depth {
    from_event: usize,
    commands: u64,
    #[serde(flatten)]
    latency_ms: Percentiles,
}

impl Latencies {
    fn new() -> Result<Latencies, CreationError> {
        Histogram::new_with_bounds(1, LONGEST, 3).map(Latencies)
    }

    pub fn record(&mut self, latency: Duration) {
        self.0.saturating_record(micros(latency));
    }

    pub fn count(&self) -> u64 {
        self.0.len()
    }

    pub fn percentiles(&self) -> Percentiles {
        let at = |quantile| self.0.value_at_quantile(quantile) as f64 / 1000.0;
        Percentiles { p50: at(0.50), p95: at(0.95), p99: at(0.99), max: self.0.max() as f64 / 1000.0 }
    }

    /// The latencies as clients at a constant rate would see them: while one call is delayed, the clients that
    /// arrive meanwhile are delayed as well. This corrects for coordinated omission in a closed loop; an open loop
    /// does not need it.
    pub fn corrected(&self, interval: Duration) -> Latencies {
        Latencies(self.0.clone_correct(micros(interval).max(1)))
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl Statistics {
    pub fn new() -> Result<Statistics, CreationError> {
        Ok(Statistics(Mutex::new(Measurements {
            counts: Counts::default(),
            latency: Latencies::new()?,
            by_depth: (0..DEPTHS).map(|_| Latencies::new()).collect::<Result<_, _>>()?,
            turn_latency: Latencies::new()?,
            last: None,
        })))
    }

    pub fn lock(&self) -> MutexGuard<'_, Measurements> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the counts.
    pub fn count(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.lock().counts);
    }

    /// Counts a command accepted in a game with this many events.
    pub fn command(&self, latency: Duration, events: u64) {
        let depth = usize::try_from(events).unwrap_or(usize::MAX) / STEP;
        let mut all = self.lock();
        all.last = Some(Instant::now());
        all.latency.record(latency);
        all.by_depth[depth.min(DEPTHS - 1)].record(latency);
    }
}

impl Measurements {
    /// Latencies by the number of events in the game, where there are any.
    pub fn by_depth(&self) -> Vec<Depth> {
        let depth = |(number, latency): (usize, &Latencies)| Depth {
            from_event: number * STEP,
            commands: latency.count(),
            latency_ms: latency.percentiles(),
        };
        self.by_depth.iter().enumerate().map(depth).filter(|depth| depth.commands > 0).collect()
    }
}

/// Measures elapsed time and the processor time used in it.
pub struct Stopwatch {
    started: Instant,
    busy: Duration,
}

impl Stopwatch {
    /// Starts a stopwatch whose measurement begins at `from`.
    pub fn started(from: Instant) -> Stopwatch {
        Stopwatch { started: from, busy: processor_time() }
    }

    /// The elapsed time, and the share of one processor used in it.
    pub fn read(&self) -> (Duration, f64) {
        let (passed, busy) = (self.started.elapsed(), processor_time().saturating_sub(self.busy));
        (passed, busy.as_secs_f64() / passed.as_secs_f64().max(1e-9))
    }
}

/// The processor time used since the process started.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
