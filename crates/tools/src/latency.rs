//! Latencies with their percentiles.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// The number of significant digits.
const DIGITS: u8 = 3;

/// The maximum recorded latency in microseconds: ten minutes.
const LONGEST: u64 = 600_000_000;

/// A histogram of latencies.
#[derive(Clone)]
pub struct Latencies(Histogram<u64>);

/// Latency percentiles in milliseconds.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Percentiles {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
}

impl Latencies {
    /// # Errors
    /// The library refuses the bounds, which it does not.
    pub fn new() -> Result<Latencies, hdrhistogram::CreationError> {
        Histogram::new_with_bounds(1, LONGEST, DIGITS).map(Latencies)
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
