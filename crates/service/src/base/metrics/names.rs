//! Every metric: its name, its help text, and the buckets of histograms.

use metrics::{KeyName, Recorder, Unit};

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Counter,
    Gauge,
    /// The upper bounds of the buckets.
    Histogram(&'static [f64]),
}

#[derive(Clone, Copy, Debug)]
pub struct Metric {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
}

/// Buckets from 50 µs to 10 s, in seconds.
const TIMES: &[f64] = &[
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    10.0,
];

/// Buckets for batch sizes.
const SIZES: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

pub(super) const REQUESTS: &str = "estimation_requests_total";
pub(super) const REQUEST: &str = "estimation_request_seconds";
pub(super) const COMMAND: &str = "estimation_command_seconds";
pub(super) const QUEUE: &str = "estimation_writer_queue_seconds";
pub(super) const BATCH: &str = "estimation_writer_batch_units";
pub(super) const COMMIT: &str = "estimation_writer_commit_seconds";
pub(super) const RERUNS: &str = "estimation_writer_reruns_total";
pub(super) const CONFLICTS: &str = "estimation_writer_conflicts_total";
pub(super) const WRITES_REFUSED: &str = "estimation_writes_refused";
pub(super) const DISK_FREE: &str = "estimation_disk_free_bytes";
pub(super) const DISK_SIZE: &str = "estimation_disk_size_bytes";
pub(super) const STANDBYS: &str = "estimation_standbys";
pub(super) const STANDBY_LAG: &str = "estimation_standby_lag_bytes";
pub(super) const BACKUP_AGE: &str = "estimation_backup_age_seconds";
pub(super) const READER_WAIT: &str = "estimation_reader_wait_seconds";
pub(super) const CACHE_HITS: &str = "estimation_state_cache_hits_total";
pub(super) const CACHE_MISSES: &str = "estimation_state_cache_misses_total";
pub(super) const STREAMS: &str = "estimation_open_streams";
pub(super) const HASHING: &str = "estimation_hashing_waiting";
pub(super) const CONNECTIONS: &str = "estimation_open_connections";
pub(super) const REFUSED: &str = "estimation_connections_refused_total";
pub(super) const HISTORIES: &str = "estimation_history_cache_bytes";
pub(super) const UNREADABLE: &str = "estimation_unreadable_requests_total";
pub(super) const GAMES: &str = "estimation_games";
pub(super) const PASSED_OVER: &str = "estimation_games_passed_over";
pub(super) const LOG_ENTRIES: &str = "estimation_public_log_entries";
pub(super) const LOG_REFUSED: &str = "estimation_public_log_refused";
pub(super) const WAKE_UP_LAG: &str = "estimation_wake_up_lag_seconds";
pub(super) const BOT: &str = "estimation_bot_seconds";
pub(super) const PACKED: &str = "estimation_games_packed_total";
pub(super) const BACKGROUND: &str = "estimation_background_seconds";
pub(super) const NOTICES: &str = "estimation_notices_heard_total";
pub(super) const SENT: &str = "estimation_notifications_total";
pub(super) const MAILS: &str = "estimation_mails_total";
pub(super) const REACTIONS: &str = "estimation_reactions_total";
pub(super) const REPORTS: &str = "estimation_reports_total";
pub(super) const ACTS: &str = "estimation_moderation_acts_total";
pub(super) const SECOND_STEPS: &str = "estimation_second_steps_total";
pub(super) const IDENTITY_PROOFS: &str = "estimation_identity_proofs_total";
pub(super) const NOTICES_OPEN: &str = "estimation_notifications";
pub(super) const CLOCK_SKEW: &str = "estimation_clock_skew_seconds";
pub(super) const CLOCK_JUMPS: &str = "estimation_clock_jumps_total";
pub(super) const BUILD: &str = "estimation_build_info";
pub(super) const PROCESS_CPU: &str = "process_cpu_seconds_total";
pub(super) const PROCESS_RESIDENT: &str = "process_resident_memory_bytes";
pub(super) const PROCESS_VIRTUAL: &str = "process_virtual_memory_bytes";
pub(super) const PROCESS_THREADS: &str = "process_threads";
pub(super) const PROCESS_STARTED: &str = "process_start_time_seconds";
pub(super) const PROCESS_OPEN_FILES: &str = "process_open_fds";
pub(super) const PROCESS_MAX_FILES: &str = "process_max_fds";

pub const METRICS: &[Metric] = &[
    counter(REQUESTS, "Requests answered, by operation and status."),
    times(REQUEST, "Seconds from a request's head to its answer, by operation."),
    times(COMMAND, "Seconds from the first look at a game to a command that is durable."),
    times(QUEUE, "Seconds that a unit of work waited before the writer took it."),
    Metric { name: BATCH, kind: Kind::Histogram(SIZES), help: "Units of work in a transaction." },
    times(COMMIT, "Seconds that COMMIT took."),
    counter(RERUNS, "Batches that failed and were run again, without the units that failed or unit by unit."),
    counter(CONFLICTS, "Commands that the writer refused because their games had moved on."),
    gauge(WRITES_REFUSED, "1 while the database refuses writes for that reason, 0 otherwise."),
    gauge(DISK_FREE, "Free bytes on the disk of the SQLite database."),
    gauge(DISK_SIZE, "Size in bytes of the disk of the SQLite database."),
    gauge(STANDBYS, "Standbys that are connected to the PostgreSQL server."),
    gauge(
        STANDBY_LAG,
        "Bytes of PostgreSQL's log that the standby that is furthest behind has not written to its disk.",
    ),
    gauge(
        BACKUP_AGE,
        "Age of the state that the newest checked backup restores. Missing before the first check.",
    ),
    times(READER_WAIT, "Seconds that a read waited for a connection."),
    counter(CACHE_HITS, "States that were in the cache when they were needed."),
    counter(CACHE_MISSES, "States that had to be loaded."),
    gauge(STREAMS, "Streams and long polls that are open."),
    gauge(HASHING, "Passwords that wait to be hashed."),
    gauge(CONNECTIONS, "Connections that are open."),
    counter(REFUSED, "Connections refused because too many were open, by the cap that was reached."),
    gauge(
        HISTORIES,
        "Bytes of histories of ended games that are kept, most of them compressed; at most 33554432.",
    ),
    counter(UNREADABLE, "Requests whose head was late, too large or not HTTP/1.1, by status."),
    gauge(GAMES, "Games, by status."),
    gauge(PASSED_OVER, "Games that this node passes over because they cannot be handled, by job."),
    gauge(
        LOG_REFUSED,
        "1 while this node does not sign the public log, 0 otherwise. `/readyz` and the log have the reason.",
    ),
    gauge(LOG_ENTRIES, "Entries of the public log: stored, signed, and refused because no node wrote them."),
    times(WAKE_UP_LAG, "Seconds between the due time of a timed action and its execution."),
    times(BOT, "Seconds that a bot took to decide, by level."),
    counter(PACKED, "Games packed by this node."),
    times(
        BACKGROUND,
        "Seconds that a piece of a background job took of a reader (processor time) or of the writer, by job and thread.",
    ),
    counter(
        NOTICES,
        "Notices heard that a game has moved, those of this node included. Without any, other nodes' moves are seen a second late.",
    ),
    counter(
        SENT,
        "Attempts of this node to notify players, by destination (`webhook` or `push`) and outcome: `delivered`, `dropped`, `failed` or `parked`.",
    ),
    counter(MAILS, "Attempts of this node to send a mail, by outcome: `sent`, `failed` or `refused`."),
    counter(
        IDENTITY_PROOFS,
        "What players brought from issuers to this node, by outcome: `accepted`, `refused` or `unavailable` (the issuer does not answer).",
    ),
    counter(REACTIONS, "Reactions of players on this node, by outcome: `sent` or `refused`."),
    counter(ACTS, "Acts of moderators on this node, by act."),
    counter(SECOND_STEPS, "Codes of second steps, by outcome: `passed` or `wrong`."),
    counter(REPORTS, "Reports and appeals made on this node, by outcome: `made` or `repeated`."),
    gauge(NOTICES_OPEN, "Notices to players that wait to be sent, and those that are parked, by state."),
    gauge(
        CLOCK_SKEW,
        "Seconds by which the node's clock is ahead of the database server's; negative where it is behind.",
    ),
    counter(CLOCK_JUMPS, "Jumps of the node's clock against its monotonic clock, beyond the limit."),
    gauge(BUILD, "Always 1; the label is the version."),
    // A gauge, because counters hold whole numbers.
    gauge(PROCESS_CPU, "Seconds of processor time used, in user and system mode."),
    gauge(PROCESS_RESIDENT, "Resident memory in bytes."),
    gauge(PROCESS_VIRTUAL, "Virtual memory in bytes."),
    gauge(PROCESS_THREADS, "Threads of the process."),
    gauge(PROCESS_STARTED, "When the process started, in seconds since 1970."),
    gauge(PROCESS_OPEN_FILES, "File descriptors that are open."),
    gauge(PROCESS_MAX_FILES, "File descriptors that may be open."),
];

const fn counter(name: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Counter, help }
}

const fn gauge(name: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Gauge, help }
}

const fn times(name: &'static str, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Histogram(TIMES), help }
}

/// Registers the help texts with a recorder.
pub(super) fn describe(recorder: &impl Recorder) {
    for Metric { name, kind, help } in METRICS.iter().copied() {
        let key = KeyName::from_const_str(name);
        match kind {
            Kind::Counter => recorder.describe_counter(key, Some(Unit::Count), help.into()),
            Kind::Gauge => recorder.describe_gauge(key, Some(Unit::Count), help.into()),
            Kind::Histogram(_) => recorder.describe_histogram(key, None, help.into()),
        }
    }
}

/// An HTTP status as a label: those the service uses, and one label for all others.
pub(super) fn status(status: u16) -> &'static str {
    match status {
        200 => "200",
        201 => "201",
        202 => "202",
        204 => "204",
        304 => "304",
        307 => "307",
        400 => "400",
        401 => "401",
        403 => "403",
        404 => "404",
        405 => "405",
        406 => "406",
        408 => "408",
        409 => "409",
        412 => "412",
        413 => "413",
        415 => "415",
        422 => "422",
        428 => "428",
        429 => "429",
        431 => "431",
        500 => "500",
        503 => "503",
        _ => "other",
    }
}
