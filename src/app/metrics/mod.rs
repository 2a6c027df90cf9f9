//! Metrics of a node.
//!
//! Owns every metric's name and meaning ([`names`]) and the handles to count with; a node has one registry of
//! its own, nothing is global. It never holds an id of a game, an account or a request: what stands in a
//! label comes from a short list.

pub mod names;
mod process;
mod render;
mod store;

pub use render::Monitoring;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use metrics::{Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};

use self::names::{Kind, METRICS};
use super::skipped_games::Job;
use crate::engine::player::BotLevel;

/// What requests are told apart by: the operation and the status.
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
    timer_lag: Histogram,
    bots: [Histogram; 3],
    packed: Counter,
    notices: Counter,
    clock_jumps: Counter,
    /// The handles of requests, once there has been one of the kind.
    requests: RwLock<HashMap<RequestKind, (Counter, Histogram)>>,
}

/// Where the code that counts stands, which the exporter does not ask for.
const PLACE: Metadata<'static> = Metadata::new("estimation", Level::INFO, None);

impl Default for Metrics {
    fn default() -> Metrics {
        let mut builder = PrometheusBuilder::new();
        for metric in METRICS {
            if let Kind::Histogram(buckets) = metric.kind {
                let name = metrics_exporter_prometheus::Matcher::Full(metric.name.to_owned());
                // Refused for an empty list alone, of which there is none.
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
            timer_lag: histogram(names::WAKE_UP_LAG),
            bots: [bot("easy"), bot("steady"), bot("sharp")],
            packed: counter(names::PACKED),
            notices: counter(names::NOTICES),
            clock_jumps: counter(names::CLOCK_JUMPS),
            requests: RwLock::default(),
            recorder,
        }
    }
}

impl Metrics {
    /// Counts a request that was answered.
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

    /// A command was carried out and is durable; it took so long from the first look at the game.
    pub fn command(&self, took: Duration) {
        self.command.record(took);
    }

    /// A state was needed and was, or was not, in the cache.
    pub(super) fn cache(&self, hit: bool) {
        let counter = if hit { &self.cache_hits } else { &self.cache_misses };
        counter.increment(1);
    }

    /// A stream or poll was opened. It counts until what is returned is dropped.
    pub(super) fn stream(&self) -> Open {
        Open::counted_by(&self.streams)
    }

    /// A connection was accepted. It counts until what is returned is dropped.
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

    /// A request was refused with a status before it was one: its head could not be read.
    pub fn unreadable(&self, status: u16) {
        let key = Key::from_parts(names::UNREADABLE, vec![Label::new("status", names::status(status))]);
        self.recorder.register_counter(&key, &PLACE).increment(1);
    }

    /// The server acted for a player, so long after the deadline.
    pub fn timer_lag(&self, lag: Duration) {
        self.timer_lag.record(lag);
    }

    /// A bot has decided, and took so long.
    pub fn bot(&self, level: BotLevel, took: Duration) {
        let [easy, steady, sharp] = &self.bots;
        let histogram = match level {
            BotLevel::Easy => easy,
            BotLevel::Steady => steady,
            BotLevel::Sharp => sharp,
        };
        histogram.record(took);
    }

    pub fn packed(&self, games: usize) {
        self.packed.increment(games as u64);
    }

    /// A notice of a node was heard.
    pub fn notice_heard(&self) {
        self.notices.increment(1);
    }

    pub(super) fn clock_jumped(&self) {
        self.clock_jumps.increment(1);
    }

    /// So many seconds the node's clock is ahead of the database server's.
    pub(super) fn clock_skew(&self, seconds: f64) {
        self.gauge(names::CLOCK_SKEW, seconds);
    }

    fn hashing(&self, waiting: usize) {
        self.gauge(names::HASHING, waiting as f64);
    }

    /// How the database keeps up.
    fn database(&self, database: &crate::store::Database) {
        self.gauge(names::OLDEST_WRITE, database.longest_wait().as_secs_f64());
        self.gauge(names::READS, database.reads_running() as f64);
    }

    fn gauge(&self, name: &'static str, value: f64) {
        self.recorder.register_gauge(&Key::from_static_name(name), &PLACE).set(value);
    }

    fn passed_over(&self, job: Job, games: usize) {
        let key = Key::from_parts(names::PASSED_OVER, vec![Label::new("job", job.as_str())]);
        self.recorder.register_gauge(&key, &PLACE).set(games as f64);
    }

    fn games(&self, status: &'static str, count: u64) {
        let key = Key::from_parts(names::GAMES, vec![Label::new("status", status)]);
        self.recorder.register_gauge(&key, &PLACE).set(count as f64);
    }
}

/// Something that is open, and counted until this is dropped.
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

/// Which cap on connections was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionCap {
    Total,
    Address,
}

impl ConnectionCap {
    /// Its name in metrics and in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            ConnectionCap::Total => "total",
            ConnectionCap::Address => "address",
        }
    }
}
