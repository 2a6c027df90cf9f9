//! The application: what every use case needs, in one place.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Semaphore, watch};
use uuid::Uuid;

use super::clock::{Clock, SystemClock};
use super::clock_watch::{CLOCK_SKEW, ClockWatch};
use super::entropy::{Entropy, SystemEntropy};
use super::games::cache::GameCache;
use super::hashing::Hashing;
use super::idempotency::InFlight;
use super::ids::new_id;
use super::key_changes::WatchedKeys;
use super::key_source::{KeySource, KeyVersion};
use super::keys::{Jwks, KeyRing, RefreshKey};
use super::metrics::Metrics;
use super::names::Names;
use super::presence::Presence;
use super::session_cache::SessionCache;
use super::sessions::SessionSettings;
use super::skipped_games::SkippedGames;
use super::throttle::Limits;
use super::timers::Timers;
use super::tokens::TokenIssuer;
use super::watch::{HEARTBEAT, Hub};
use crate::store::{Database, NoticeBoard};

/// The name tokens are issued under, and for.
const ISSUER: &str = "estimation";

/// How many passwords are hashed at the same time; each takes a core and 19 MiB.
const HASHING_AT_ONCE: usize = 2;

/// How many past states are put together at the same time; each takes a connection for reading and a core.
const REPLAYS_AT_ONCE: usize = 2;

/// How many tables a host may have in the lobby, unless told otherwise.
pub const TABLES_PER_HOST: u32 = 20;

/// The application of one node.
pub struct App {
    pub(super) database: Database,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) clock_watch: ClockWatch,
    pub(super) entropy: Arc<dyn Entropy>,
    pub(super) tokens: TokenIssuer,
    keys: RwLock<KeyRing>,
    pub(super) key_source: Option<WatchedKeys>,
    pub(super) limits: Limits,
    pub(super) sessions: SessionSettings,
    pub(super) hashing: Hashing,
    pub(super) cache: GameCache,
    pub(super) names: Names,
    pub(super) session_cache: SessionCache,
    pub(super) in_flight: Arc<InFlight>,
    pub(super) timers: Timers,
    pub(super) skipped_games: SkippedGames,
    /// Held by whoever is being seated with strangers: one at a time on a node, so that they do not get in
    /// each other's way.
    pub(super) seating: tokio::sync::Mutex<()>,
    /// Who looks at the past, some at a time.
    pub(super) replays: Semaphore,
    pub(super) hub: Arc<Hub>,
    pub(super) presence: Presence,
    /// This node, as others know it: new at every start.
    pub(super) node: Uuid,
    /// How many requests this node has named, and under which key.
    requests: AtomicU64,
    requests_key: RandomState,
    pub(super) notices: OnceLock<NoticeBoard>,
    /// A stream in which nothing happens says so after this long.
    pub(super) heartbeat: Duration,
    pub(super) metrics: Arc<Metrics>,
    /// How many tables a host may have in the lobby; none for any number.
    pub(super) tables_per_host: Option<u32>,
    /// How long a game has been over when its log is packed; none where that is never done.
    pub(super) pack_after: Option<SignedDuration>,
    closing: watch::Sender<bool>,
}

impl App {
    /// An application on a database, with the system's clock and entropy and the usual limits.
    pub fn new(database: Database, keys: KeyRing) -> App {
        App::with(database, keys, Arc::new(SystemClock), Arc::new(SystemEntropy))
            .with_limits(Limits::default())
            .with_tables_per_host(Some(TABLES_PER_HOST))
            .with_clock_skew(Some(CLOCK_SKEW))
    }

    /// The application with other limits on attempts.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> App {
        App { limits, ..self }
    }

    /// The application with other settings for sessions.
    #[must_use]
    pub fn with_sessions(self, sessions: SessionSettings) -> App {
        App { sessions, ..self }
    }

    /// The application, looking every few seconds whether its keys have changed where they come from.
    #[must_use]
    pub fn with_watched_keys(self, source: KeySource, version: KeyVersion) -> App {
        App { key_source: Some(WatchedKeys::new(source, version)), ..self }
    }

    /// The application with another limit on the tables that a host may have in the lobby; none for no limit.
    #[must_use]
    pub fn with_tables_per_host(self, most: Option<u32>) -> App {
        App { tables_per_host: most, ..self }
    }

    /// The application with another limit on how far its clock may be off and may jump; none to trust it always.
    #[must_use]
    pub fn with_clock_skew(self, limit: Option<Duration>) -> App {
        App { clock_watch: ClockWatch::new(limit), ..self }
    }

    /// An application with a clock and entropy of one's own, and without limits on attempts, tables and the
    /// clock: for tests.
    pub fn with(database: Database, keys: KeyRing, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> App {
        let node = new_id(clock.now(), &SystemEntropy);
        App {
            tokens: TokenIssuer::new(ISSUER, ISSUER, keys.token_keys(), Arc::clone(&entropy)),
            keys: RwLock::new(keys),
            key_source: None,
            limits: Limits::NONE,
            sessions: SessionSettings::default(),
            database,
            clock,
            clock_watch: ClockWatch::new(None),
            entropy,
            hashing: Hashing::on(HASHING_AT_ONCE),
            cache: GameCache::new(),
            names: Names::new(),
            session_cache: SessionCache::default(),
            in_flight: Arc::default(),
            timers: Timers::default(),
            skipped_games: SkippedGames::default(),
            seating: tokio::sync::Mutex::default(),
            replays: Semaphore::new(REPLAYS_AT_ONCE),
            hub: Arc::default(),
            presence: Presence::new(),
            node,
            requests: AtomicU64::new(0),
            requests_key: RandomState::new(),
            notices: OnceLock::new(),
            heartbeat: HEARTBEAT,
            metrics: Arc::default(),
            tables_per_host: None,
            pack_after: None,
            closing: watch::Sender::new(false),
        }
    }

    /// The same, with streams that say after another time that nothing happens.
    pub fn with_heartbeat(self, heartbeat: Duration) -> App {
        App { heartbeat, ..self }
    }

    /// The same, packing the logs of games that have been over for so long.
    #[must_use]
    pub fn with_packing(self, after: Option<Duration>) -> App {
        App { pack_after: after.and_then(|after| SignedDuration::try_from(after).ok()), ..self }
    }

    /// The same, counting with these metrics: those that the store tells about its work.
    #[must_use]
    pub fn with_metrics(self, metrics: Arc<Metrics>) -> App {
        App { metrics, ..self }
    }

    /// The public halves of the keys.
    pub fn jwks(&self) -> Jwks {
        self.keys().jwks(self.now())
    }

    /// The keys in use.
    pub(super) fn keys(&self) -> KeyRing {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The key that refresh tokens follow from.
    pub(super) fn refresh_key(&self) -> Arc<RefreshKey> {
        self.keys().refresh_key()
    }

    /// Goes on with other keys.
    pub(super) fn replace_keys(&self, keys: KeyRing) {
        self.tokens.replace_keys(keys.token_keys());
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
    }

    /// A new id, for an account, a session, a game or a request.
    pub fn new_id(&self) -> Uuid {
        new_id(self.now(), &*self.entropy)
    }

    /// An id for a request that brings none, 16 hexadecimal digits, to find it in the log by. It tells nobody
    /// how many there were before it: it is their number under a keyed hash.
    pub fn request_id(&self) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}", self.requests_key.hash_one(number))
    }

    /// Whether the node is stopping.
    pub(super) fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// Says that the node is stopping: it is not ready any more, and streams and polls end.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Tells when the node is stopping.
    pub(super) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Finishes what is being written, then takes nothing more.
    pub async fn shutdown(&self) {
        self.database.shutdown().await;
    }

    /// The time by the node's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
