//! The report of a run.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;

use crate::run::Run;
use crate::statistics::{Counts, Depth, Percentiles};

/// The report of a run.
#[derive(Serialize)]
pub struct Report {
    games: usize,
    commands: u64,
    seconds: f64,
    commands_per_second: f64,
    latency_ms: Percentiles,
    /// Latencies corrected for coordinated omission; in an open loop the same.
    corrected_latency_ms: Percentiles,
    /// Latencies by the number of events in the game, to show whether long games cost more.
    by_depth: Vec<Depth>,
    /// `closed` or `open`.
    #[serde(rename = "loop")]
    form: &'static str,
    /// From a command until the stream of the next player to act has the turn, if the players follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_latency_ms: Option<Percentiles>,
    /// What the driver sent and received while commands counted. Bytes include the heads of HTTP, and no frames of TCP.
    requests: u64,
    requests_per_command: f64,
    bytes_per_command: f64,
    /// The share of one processor that the driver used.
    driver_cpu_share: f64,
    #[serde(flatten)]
    counts: Counts,
    /// Whether the run was limited by time instead of games.
    #[serde(skip)]
    is_timed: bool,
    failures: Vec<String>,
}

impl Report {
    /// Makes the report of a run, from its duration and its share of a processor, and what it sent and received.
    pub fn of(run: &Run, (took, driver_cpu_share): (Duration, f64), traffic: [u64; 2]) -> Report {
        let (flags, measured) = (&run.flags, run.statistics.lock());
        let (commands, latency_ms) = (measured.latency.count(), measured.latency.percentiles());
        let length = run.pace.counted(took, measured.last);
        let seconds = length.as_secs_f64();
        // The time between two commands of one table.
        let interval = length * flags.concurrency / u32::try_from(commands.max(1)).unwrap_or(u32::MAX);
        let [requests, bytes] = traffic;
        Report {
            games: run.games.min(run.begun.load(Ordering::Relaxed)),
            commands,
            seconds,
            commands_per_second: commands as f64 / seconds.max(1e-9),
            latency_ms,
            corrected_latency_ms: match flags.rate {
                Some(_) => latency_ms,
                None => measured.latency.corrected(interval).percentiles(),
            },
            by_depth: measured.by_depth(),
            form: if flags.rate.is_some() { "open" } else { "closed" },
            turn_latency_ms: flags.follow.then(|| measured.turn_latency.percentiles()),
            requests,
            requests_per_command: requests as f64 / commands.max(1) as f64,
            bytes_per_command: bytes as f64 / commands.max(1) as f64,
            driver_cpu_share,
            counts: measured.counts.clone(),
            is_timed: run.pace.length.is_some(),
            failures: run.failures(),
        }
    }

    /// Whether every game was played to its end without errors.
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty() && (self.is_timed || self.counts.finished == self.games)
    }
}
