//! The report of a run, as text or JSON.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::run::Run;
use super::sheet;
use super::statistics::{Counts, Depth};
use crate::latency::Percentiles;

/// The report of a run.
#[derive(Serialize)]
pub(super) struct Report {
    ruleset: String,
    seed: u64,
    concurrency: u32,
    games: usize,
    commands: u64,
    seconds: f64,
    commands_per_second: f64,
    latency_ms: Percentiles,
    /// Latencies corrected for coordinated omission; in an open loop the same.
    corrected_latency_ms: Percentiles,
    /// Latencies by the number of events in the game, to show whether long games cost more.
    by_depth: Vec<Depth>,
    /// `closed`, or `open` with the rate.
    #[serde(rename = "loop")]
    form: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
    read_latency_ms: Percentiles,
    /// From a command until the stream of the next player to act has the turn, if the players follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_latency_ms: Option<Percentiles>,
    #[serde(flatten)]
    traffic: Traffic,
    /// The share of one processor that the driver used.
    driver_cpu_share: f64,
    #[serde(flatten)]
    counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Value>,
    /// Whether the run was limited by time instead of games.
    timed: bool,
    failures: Vec<String>,
}

/// What the driver sent and received while commands counted. Bytes include the heads of HTTP, and no frames of TCP.
#[derive(Serialize)]
struct Traffic {
    requests: u64,
    bytes_sent: u64,
    bytes_received: u64,
    requests_per_command: f64,
    bytes_per_command: f64,
}

impl Traffic {
    fn of([requests, bytes_sent, bytes_received]: [u64; 3], commands: u64) -> Traffic {
        let per_command = |count: u64| count as f64 / commands.max(1) as f64;
        Traffic {
            requests,
            bytes_sent,
            bytes_received,
            requests_per_command: per_command(requests),
            bytes_per_command: per_command(bytes_sent + bytes_received),
        }
    }
}

impl Report {
    /// Makes the report of a run, from its duration and its share of a processor, and what it sent and received.
    pub(super) fn of(run: &Run, took: (Duration, f64), traffic: [u64; 3], scores: Option<Value>) -> Report {
        let (flags, measured) = (&run.flags, run.statistics.lock());
        let (commands, latency_ms) = (measured.latency.count(), measured.latency.percentiles());
        let length = run.pace.counted(took.0, measured.last);
        let seconds = length.as_secs_f64();
        // The time between two commands of one table.
        let interval = length * flags.concurrency / u32::try_from(commands.max(1)).unwrap_or(u32::MAX);
        Report {
            ruleset: flags.ruleset.clone(),
            seed: flags.seed,
            concurrency: flags.concurrency,
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
            rate: flags.rate,
            read_latency_ms: measured.read_latency.percentiles(),
            turn_latency_ms: flags.follow.then(|| measured.turn_latency.percentiles()),
            traffic: Traffic::of(traffic, commands),
            driver_cpu_share: took.1,
            counts: measured.counts.clone(),
            scores,
            timed: run.pace.length.is_some(),
            failures: run.failures(),
        }
    }

    /// Whether every game was played to its end without errors.
    pub(super) fn is_clean(&self) -> bool {
        self.failures.is_empty() && (self.timed || self.counts.finished == self.games as u64)
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        match &self.scores {
            Some(scores) => text += &sheet::table(scores),
            None => {
                let Percentiles { p50, p95, p99, max } = self.latency_ms;
                text += &format!(
                    "{} of {} games of {} finished, {} at a time\n\
                     {} commands in {:.1} s: {:.0} commands/s\n\
                     latency of a command: p50 {p50:.2} ms, p95 {p95:.2} ms, p99 {p99:.2} ms, max {max:.2} ms\n\
                     the driver itself used {:.0} % of a processor\n",
                    self.counts.finished,
                    self.games,
                    self.ruleset,
                    self.concurrency,
                    self.commands,
                    self.seconds,
                    self.commands_per_second,
                    self.driver_cpu_share * 100.0,
                );
            }
        }
        text += &format!(
            "a command took {:.2} requests and {:.0} bytes on the wire\n",
            self.traffic.requests_per_command, self.traffic.bytes_per_command
        );
        let counts = &self.counts;
        for (count, what) in [
            (counts.looks, "views were asked for to play on"),
            (counts.reads, "extra reads were sent"),
            (counts.stream_frames, "frames of streams came, in order"),
            (counts.unknown_outcomes, "commands had an unknown outcome at first"),
            (counts.stale_commands, "commands came for a version that had passed"),
            (counts.deferred_requests, "requests were deferred by the service"),
            (counts.refreshed_sessions, "sessions were refreshed"),
            (counts.refusals, "commands that were not listed were refused, as they should be"),
            (counts.revokes, "revokes were committed and penalised"),
            (counts.verified_events, "events of the logs were verified"),
            (self.failures.len() as u64, "FAILURES"),
        ] {
            if count > 0 {
                text += &format!("{count} {what}\n");
            }
        }
        text
    }
}
