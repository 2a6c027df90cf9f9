//! Metrics of a node: their names and meanings ([`names`]), and the handles that record them.
//!
//! Each node has its own registry; nothing is global. Metrics never hold ids of games, accounts or requests;
//! label values come from short lists.

pub mod names;
mod process;
mod store;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use metrics::{Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};

use self::names::{Kind, METRICS};
use super::pacing::{PacedJob, PieceThread};
use estimation_engine::player::BotLevel;
use estimation_store::notifications::DeliveryOutcome;
use estimation_store::{Database, Standbys, WriteRefusal};

/// The operation and the status.
type RequestKind = (Arc<str>, u16);

pub struct Metrics {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
    command: Histogram,
    queue: Histogram,
    batch: Histogram,
    commit: Histogram,
    reruns: Counter,
    conflicts: Counter,
    reader_wait: Histogram,
    cache_hits: Counter,
    cache_misses: Counter,
    streams: Gauge,
    connections: Gauge,
    refused: [Counter; 2],
    histories: Gauge,
    timer_lag: Histogram,
    bots: [Histogram; 3],
    packed: Counter,
    background: [[Histogram; 2]; PacedJob::ALL.len()],
    notices: Counter,
    clock_jumps: Counter,
    /// Handles per kind of request, created on first use.
    requests: RwLock<HashMap<RequestKind, (Counter, Histogram)>>,
}

/// Required by the recorder; the exporter ignores it.
const PLACE: Metadata<'static> = Metadata::new("estimation", Level::INFO, None);

impl Default for Metrics {
    fn default() -> Metrics {
        let mut builder = PrometheusBuilder::new();
        for metric in METRICS {
            if let Kind::Histogram(buckets) = metric.kind {
                let name = metrics_exporter_prometheus::Matcher::Full(metric.name.to_owned());
                // Fails only for an empty list of buckets.
                builder = builder.set_buckets_for_metric(name, buckets).unwrap_or_default();
            }
        }
        let recorder = builder.build_recorder();
        names::describe(&recorder);
        let histogram = |name| recorder.register_histogram(&Key::from_static_name(name), &PLACE);
        let counter = |name| recorder.register_counter(&Key::from_static_name(name), &PLACE);
        let bot = |level: &'static str| {
            let key = Key::from_parts(names::BOT, vec![Label::new("level", level)]);
            recorder.register_histogram(&key, &PLACE)
        };
        let refused = |cap: ConnectionCap| {
            let key = Key::from_parts(names::REFUSED, vec![Label::new("cap", cap.as_str())]);
            recorder.register_counter(&key, &PLACE)
        };
        let piece = |job: PacedJob, thread: &'static str| {
            let labels = vec![Label::new("job", job.as_str()), Label::new("thread", thread)];
            recorder.register_histogram(&Key::from_parts(names::BACKGROUND, labels), &PLACE)
        };
        let gauge = |name| recorder.register_gauge(&Key::from_static_name(name), &PLACE);
        let version = Label::new("version", env!("CARGO_PKG_VERSION"));
        recorder.register_gauge(&Key::from_parts(names::BUILD, vec![version]), &PLACE).set(1.0);
        Metrics {
            handle: recorder.handle(),
            command: histogram(names::COMMAND),
            queue: histogram(names::QUEUE),
            batch: histogram(names::BATCH),
            commit: histogram(names::COMMIT),
            reruns: counter(names::RERUNS),
            conflicts: counter(names::CONFLICTS),
            reader_wait: histogram(names::READER_WAIT),
            cache_hits: counter(names::CACHE_HITS),
            cache_misses: counter(names::CACHE_MISSES),
            streams: gauge(names::STREAMS),
            connections: gauge(names::CONNECTIONS),
            refused: [refused(ConnectionCap::Total), refused(ConnectionCap::Address)],
            histories: gauge(names::HISTORIES),
            timer_lag: histogram(names::WAKE_UP_LAG),
            bots: [bot("easy"), bot("steady"), bot("sharp")],
            packed: counter(names::PACKED),
            background: PacedJob::ALL.map(|job| [piece(job, "reader"), piece(job, "writer")]),
            notices: counter(names::NOTICES),
            clock_jumps: counter(names::CLOCK_JUMPS),
            requests: RwLock::default(),
            recorder,
        }
    }
}

impl Metrics {
    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Aggregates recorded values. Must run regularly, scraped or not: until then every histogram value is
    /// held individually.
    pub(crate) fn upkeep(&self) {
        self.handle.run_upkeep();
    }

    pub fn request(&self, operation: Arc<str>, status: u16, took: Duration) {
        let kind = (operation, status);
        let known = self.requests.read().unwrap_or_else(PoisonError::into_inner).get(&kind).cloned();
        let (requests, times) = known.unwrap_or_else(|| {
            let handles = self.request_handles(&kind);
            self.requests.write().unwrap_or_else(PoisonError::into_inner).insert(kind, handles.clone());
            handles
        });
        requests.increment(1);
        times.record(took);
    }

    fn request_handles(&self, (operation, status): &RequestKind) -> (Counter, Histogram) {
        let operation = Label::new("operation", Arc::clone(operation));
        let labels = vec![operation.clone(), Label::new("status", names::status(*status))];
        let requests = self.recorder.register_counter(&Key::from_parts(names::REQUESTS, labels), &PLACE);
        let key = Key::from_parts(names::REQUEST, vec![operation]);
        (requests, self.recorder.register_histogram(&key, &PLACE))
    }

    /// Records a durable command, and the time since its game was loaded.
    pub fn command(&self, took: Duration) {
        self.command.record(took);
    }

    /// Records whether a needed state was in the cache.
    pub(crate) fn cache(&self, hit: bool) {
        let counter = if hit { &self.cache_hits } else { &self.cache_misses };
        counter.increment(1);
    }

    /// Counts an open stream or poll until the result is dropped.
    pub(crate) fn stream(&self) -> Open {
        Open::counted_by(&self.streams)
    }

    /// Counts an open connection until the result is dropped.
    pub fn connection(&self) -> Open {
        Open::counted_by(&self.connections)
    }

    pub fn connection_refused(&self, cap: ConnectionCap) {
        let [total, address] = &self.refused;
        let counter = match cap {
            ConnectionCap::Total => total,
            ConnectionCap::Address => address,
        };
        counter.increment(1);
    }

    /// Records the bytes of histories that are kept.
    pub fn histories_kept(&self, bytes: u64) {
        self.histories.set(bytes as f64);
    }

    /// Counts a request whose head could not be parsed.
    pub fn unreadable(&self, status: u16) {
        let key = Key::from_parts(names::UNREADABLE, vec![Label::new("status", names::status(status))]);
        self.recorder.register_counter(&key, &PLACE).increment(1);
    }

    /// Records how long after a deadline the server acted for a player.
    pub fn timer_lag(&self, lag: Duration) {
        self.timer_lag.record(lag);
    }

    /// Records a bot's decision time.
    pub fn bot(&self, level: BotLevel, took: Duration) {
        let [easy, steady, sharp] = &self.bots;
        let histogram = match level {
            BotLevel::Easy => easy,
            BotLevel::Steady => steady,
            BotLevel::Sharp => sharp,
        };
        histogram.record(took);
    }

    /// An attempt to notify players ended.
    pub fn notice_sent(&self, is_webhook: bool, settled: DeliveryOutcome) {
        let outcome = match settled {
            // There was no attempt.
            DeliveryOutcome::Later(_) => return,
            DeliveryOutcome::Delivered => "delivered",
            DeliveryOutcome::Dropped => "dropped",
            DeliveryOutcome::Again(_) => "failed",
            DeliveryOutcome::Parked => "parked",
        };
        let labels = vec![
            Label::new("destination", if is_webhook { "webhook" } else { "push" }),
            Label::new("outcome", outcome),
        ];
        self.recorder.register_counter(&Key::from_parts(names::SENT, labels), &PLACE).increment(1);
    }

    /// An attempt to send a mail ended: `sent`, `failed` or `refused`.
    pub(crate) fn mail(&self, outcome: &'static str) {
        self.count(names::MAILS, outcome);
    }

    /// A player brought something from an issuer: it was `accepted` or `refused`, or the issuer was `unavailable`.
    pub(crate) fn identity_proof(&self, outcome: &'static str) {
        self.count(names::IDENTITY_PROOFS, outcome);
    }

    /// Counts a reaction.
    pub(crate) fn reaction(&self, outcome: &'static str) {
        self.count(names::REACTIONS, outcome);
    }

    /// Counts a report or an appeal.
    pub(crate) fn report(&self, outcome: &'static str) {
        self.count(names::REPORTS, outcome);
    }

    /// Counts an outcome of something rare.
    /// An act of a moderator.
    pub(crate) fn moderation_act(&self, act: &'static str) {
        let key = Key::from_parts(names::ACTS, vec![Label::new("act", act)]);
        self.recorder.register_counter(&key, &PLACE).increment(1);
    }

    /// A code of a second step, `passed` or `wrong`.
    pub(crate) fn second_step(&self, outcome: &'static str) {
        self.count(names::SECOND_STEPS, outcome);
    }

    fn count(&self, name: &'static str, outcome: &'static str) {
        let key = Key::from_parts(name, vec![Label::new("outcome", outcome)]);
        self.recorder.register_counter(&key, &PLACE).increment(1);
    }

    /// The numbers of notices that wait, and of parked ones.
    pub fn notices(&self, (waiting, parked): (i64, i64)) {
        for (state, count) in [("waiting", waiting), ("parked", parked)] {
            let key = Key::from_parts(names::NOTICES_OPEN, vec![Label::new("state", state)]);
            self.recorder.register_gauge(&key, &PLACE).set(count as f64);
        }
    }

    pub fn packed(&self, games: usize) {
        self.packed.increment(games as u64);
    }

    /// Records what a piece of a background job took.
    pub(crate) fn background(&self, job: PacedJob, thread: PieceThread, took: Duration) {
        let [reader, writer] = &self.background[job as usize];
        match thread {
            PieceThread::Reader => reader.record(took),
            PieceThread::Writer => writer.record(took),
        }
    }

    /// Counts a notice received from another node.
    pub fn notice_heard(&self) {
        self.notices.increment(1);
    }

    pub(crate) fn clock_jumped(&self) {
        self.clock_jumps.increment(1);
    }

    /// Records how many seconds the node's clock is ahead of the database server's.
    pub(crate) fn clock_skew(&self, seconds: f64) {
        self.gauge(names::CLOCK_SKEW, seconds);
    }

    pub(crate) fn hashing(&self, waiting: usize) {
        self.gauge(names::HASHING, waiting as f64);
    }

    /// Records the state of the database.
    pub(crate) fn database(&self, database: &Database) {
        let refusal = database.write_refusal();
        for reason in WriteRefusal::ALL {
            let key = Key::from_parts(names::WRITES_REFUSED, vec![Label::new("reason", reason.as_str())]);
            let value = f64::from(u8::from(refusal == Some(reason)));
            self.recorder.register_gauge(&key, &PLACE).set(value);
        }
        if let Some(disk) = database.disk() {
            self.gauge(names::DISK_FREE, disk.free as f64);
            self.gauge(names::DISK_SIZE, disk.size as f64);
        }
    }

    fn gauge(&self, name: &'static str, value: f64) {
        self.recorder.register_gauge(&Key::from_static_name(name), &PLACE).set(value);
    }

    /// Records the age of the newest backup that was checked.
    pub(crate) fn backup_age(&self, age: Duration) {
        self.gauge(names::BACKUP_AGE, age.as_secs_f64());
    }

    pub(crate) fn standbys(&self, standbys: &Standbys) {
        self.gauge(names::STANDBYS, standbys.count as f64);
        if let Some(lag) = standbys.lag {
            self.gauge(names::STANDBY_LAG, lag as f64);
        }
    }

    /// Records whether this node refuses to sign the public log.
    pub(crate) fn log_refused(&self, refused: bool) {
        self.gauge(names::LOG_REFUSED, f64::from(u8::from(refused)));
    }

    pub(crate) fn passed_over(&self, job: &'static str, games: usize) {
        let key = Key::from_parts(names::PASSED_OVER, vec![Label::new("job", job)]);
        self.recorder.register_gauge(&key, &PLACE).set(games as f64);
    }

    pub(crate) fn log_entries(&self, state: &'static str, entries: u64) {
        let key = Key::from_parts(names::LOG_ENTRIES, vec![Label::new("state", state)]);
        self.recorder.register_gauge(&key, &PLACE).set(entries as f64);
    }

    pub(crate) fn games(&self, status: &'static str, count: u64) {
        let key = Key::from_parts(names::GAMES, vec![Label::new("status", status)]);
        self.recorder.register_gauge(&key, &PLACE).set(count as f64);
    }
}

/// Counts an open resource until dropped.
pub struct Open(Gauge);

impl Open {
    fn counted_by(gauge: &Gauge) -> Open {
        gauge.increment(1);
        Open(gauge.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

/// A limit on connections that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionCap {
    Total,
    Address,
}

impl ConnectionCap {
    /// Its name in metrics and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            ConnectionCap::Total => "total",
            ConnectionCap::Address => "address",
        }
    }
}
