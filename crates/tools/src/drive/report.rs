//! The report of a run, as text or JSON.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;

use super::flags::DriveFlags;
use super::run::Run;
use super::sheet::Sheet;
use super::statistics::{Depth, Latency};

/// The report of a run.
#[derive(Serialize)]
pub(super) struct Report {
    ruleset: String,
    seed: u64,
    concurrency: u32,
    games: usize,
    finished: u64,
    commands: u64,
    seconds: f64,
    commands_per_second: f64,
    latency_ms: Latency,
    /// Latencies corrected for coordinated omission; in an open loop the same.
    corrected_latency_ms: Latency,
    /// Latencies by the number of events in the game, to show whether long games cost more.
    by_depth: Vec<Depth>,
    /// `closed`, or `open` with the rate.
    #[serde(rename = "loop")]
    form: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
    /// Views requested for playing.
    looks: u64,
    /// Extra reads.
    reads: u64,
    read_latency_ms: Latency,
    /// Stream frames received with ids in order.
    stream_frames: u64,
    /// The share of one processor that the driver used.
    driver_cpu_share: f64,
    unknown_outcomes: u64,
    stale_commands: u64,
    deferred_requests: u64,
    refreshed_sessions: u64,
    refusals: u64,
    revokes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_events: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Sheet>,
    /// Whether the run was limited by time instead of games.
    timed: bool,
    failures: Vec<String>,
}

impl Report {
    /// Makes the report of a run, from its duration and its share of a processor.
    pub(super) fn of(flags: &DriveFlags, run: &Run, took: (Duration, f64), scores: Option<Sheet>) -> Report {
        let counts = run.statistics.counts();
        let took = (run.pace.counted(took.0, counts.last), took.1);
        let seconds = took.0.as_secs_f64();
        Report {
            ruleset: flags.ruleset.clone(),
            seed: flags.seed,
            concurrency: flags.concurrency,
            games: run.games.min(run.begun.load(Ordering::Relaxed)),
            finished: counts.finished,
            commands: counts.commands(),
            seconds,
            commands_per_second: counts.commands() as f64 / seconds.max(1e-9),
            latency_ms: counts.latency(),
            corrected_latency_ms: match flags.rate {
                Some(_) => counts.latency(),
                // The time between two commands of one table.
                None => counts.corrected(
                    took.0 * flags.concurrency / u32::try_from(counts.commands().max(1)).unwrap_or(u32::MAX),
                ),
            },
            by_depth: counts.by_depth(),
            form: if flags.rate.is_some() { "open" } else { "closed" },
            rate: flags.rate,
            looks: counts.looks,
            reads: counts.reads,
            read_latency_ms: counts.read_latency(),
            stream_frames: counts.frames(),
            driver_cpu_share: took.1,
            unknown_outcomes: counts.unknown,
            stale_commands: counts.stale,
            deferred_requests: counts.deferred,
            refreshed_sessions: counts.refreshed,
            refusals: counts.refusals,
            revokes: counts.revokes,
            verified_events: flags.verify.then_some(counts.verified),
            scores,
            timed: run.pace.length.is_some(),
            failures: run.failures(),
        }
    }

    /// Whether every game was played to its end without errors.
    pub(super) fn is_clean(&self) -> bool {
        self.failures.is_empty() && (self.timed || self.finished == self.games as u64)
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        match &self.scores {
            Some(sheet) => text += &sheet.table(),
            None => {
                let Latency { p50, p95, p99, max } = self.latency_ms;
                text += &format!(
                    "{} of {} games of {} finished, {} at a time\n\
                     {} commands in {:.1} s: {:.0} commands/s\n\
                     latency of a command: p50 {p50:.2} ms, p95 {p95:.2} ms, p99 {p99:.2} ms, max {max:.2} ms\n\
                     the driver itself used {:.0} % of a processor\n",
                    self.finished,
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
        for (count, what) in [
            (self.looks, "views were asked for to play on"),
            (self.reads, "extra reads were sent"),
            (self.stream_frames, "frames of streams came, in order"),
            (self.unknown_outcomes, "commands had an unknown outcome at first"),
            (self.stale_commands, "commands came for a version that had passed"),
            (self.deferred_requests, "requests were deferred by the service"),
            (self.refreshed_sessions, "sessions were refreshed"),
            (self.refusals, "commands that were not listed were refused, as they should be"),
            (self.revokes, "revokes were committed and penalised"),
            (self.verified_events.unwrap_or(0), "events of the logs were verified"),
            (self.failures.len() as u64, "FAILURES"),
        ] {
            if count > 0 {
                text += &format!("{count} {what}\n");
            }
        }
        text
    }
}
