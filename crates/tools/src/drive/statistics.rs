//! Statistics of a run: commands, latencies, retries.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use estimation_audit::Failed;

/// The number of significant digits of latencies.
const DIGITS: u8 = 3;

/// The maximum recorded latency in microseconds: ten minutes.
const LONGEST: u64 = 600_000_000;

/// The number of events per depth step, and the number of steps.
const STEP: usize = 200;
const DEPTHS: usize = 8;

/// The statistics of a run, shared by all players.
pub(super) struct Statistics(Mutex<Counts>);

pub(super) struct Counts {
    /// Latencies of accepted commands, in microseconds.
    latency: Histogram<u64>,
    /// The same by the number of events in the game: one histogram per [`STEP`], the last for all longer
    /// games.
    by_depth: Vec<Histogram<u64>>,
    /// Games played to their end.
    pub(super) finished: u64,
    /// Commands whose outcome was unknown at first.
    pub(super) unknown: u64,
    /// Commands for an outdated version.
    pub(super) stale: u64,
    /// Requests that were repeated because the service asked for it.
    pub(super) deferred: u64,
    /// Sessions that were refreshed.
    pub(super) refreshed: u64,
    /// Illegal commands that were refused.
    pub(super) refusals: u64,
    /// Revokes that were committed.
    pub(super) revokes: u64,
    /// Events that were compared with the logs.
    pub(super) verified: u64,
    /// Extra reads.
    pub(super) reads: u64,
    /// Views requested for playing.
    pub(super) looks: u64,
    /// Stream frames while commands counted.
    frames: u64,
    /// Latencies of reads, in microseconds.
    read_latency: Histogram<u64>,
    /// Commands outside the counted time.
    uncounted: u64,
    /// The time of the last counted response.
    pub(super) last: Option<Instant>,
}

/// Latencies of commands in games with this many events.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(super) struct Depth {
    from_event: usize,
    commands: u64,
    #[serde(flatten)]
    latency_ms: Latency,
}

/// Latency percentiles in milliseconds.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(super) struct Latency {
    pub(super) p50: f64,
    pub(super) p95: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

impl Statistics {
    pub(super) fn new() -> Result<Statistics, Failed> {
        let histogram = || {
            let made = Histogram::new_with_bounds(1, LONGEST, DIGITS);
            made.map_err(|error| format!("no histogram: {error:?}"))
        };
        let (latency, read_latency) = (histogram()?, histogram()?);
        let by_depth = (0..DEPTHS).map(|_| histogram()).collect::<Result<_, _>>()?;
        Ok(Statistics(Mutex::new(Counts {
            latency,
            by_depth,
            finished: 0,
            unknown: 0,
            stale: 0,
            deferred: 0,
            refreshed: 0,
            refusals: 0,
            revokes: 0,
            verified: 0,
            reads: 0,
            looks: 0,
            frames: 0,
            read_latency,
            uncounted: 0,
            last: None,
        })))
    }

    /// Locks the counts.
    pub(super) fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a command accepted in a game with this many events.
    pub(super) fn command(&self, latency: Duration, events: u64, counts: bool) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        let depth = usize::try_from(events).unwrap_or(usize::MAX) / STEP;
        let mut all = self.counts();
        if counts {
            all.last = Some(Instant::now());
            all.latency.saturating_record(micros);
            all.by_depth[depth.min(DEPTHS - 1)].saturating_record(micros);
        } else {
            all.uncounted += 1;
        }
    }

    /// Counts an extra read.
    pub(super) fn read(&self, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        let mut all = self.counts();
        all.reads += 1;
        all.read_latency.saturating_record(micros);
    }

    /// Counts stream frames.
    pub(super) fn frames(&self, frames: u64) {
        self.counts().frames += frames;
    }
}

impl Counts {
    /// The number of accepted commands that count.
    pub(super) fn commands(&self) -> u64 {
        self.latency.len()
    }

    pub(super) fn latency(&self) -> Latency {
        Latency::of(&self.latency)
    }

    /// Latencies by the number of events in the game, where there are any.
    pub(super) fn by_depth(&self) -> Vec<Depth> {
        let depth = |(number, latency): (usize, &Histogram<u64>)| Depth {
            from_event: number * STEP,
            commands: latency.len(),
            latency_ms: Latency::of(latency),
        };
        self.by_depth.iter().enumerate().map(depth).filter(|depth| depth.commands > 0).collect()
    }

    /// Latencies of commands as clients at a constant rate would see them: while one command is delayed, the
    /// clients arriving meanwhile are delayed as well. This corrects for coordinated omission in a closed
    /// loop; an open loop does not need it.
    pub(super) fn corrected(&self, interval: Duration) -> Latency {
        let micros = u64::try_from(interval.as_micros()).unwrap_or(u64::MAX).max(1);
        Latency::of(&self.latency.clone_correct(micros))
    }

    /// Latencies of reads.
    pub(super) fn read_latency(&self) -> Latency {
        Latency::of(&self.read_latency)
    }

    /// Frames of streams.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// All accepted commands, including those that do not count.
    pub(super) fn accepted(&self) -> u64 {
        self.latency.len() + self.uncounted
    }
}

impl Latency {
    fn of(histogram: &Histogram<u64>) -> Latency {
        let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1000.0;
        Latency { p50: at(0.50), p95: at(0.95), p99: at(0.99), max: histogram.max() as f64 / 1000.0 }
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
