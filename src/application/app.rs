//! The application: what every use case needs, in one place.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use uuid::Uuid;

use super::clock::{Clock, SystemClock};
use super::entropy::{Entropy, SystemEntropy};
use super::games::cache::GameCache;
use super::ids::new_id;
use super::keys::{Jwks, KeyRing, RefreshKey};
use super::names::Names;
use super::once::UnderWay;
use super::tokens::TokenIssuer;
use super::watch::{HEARTBEAT, Hub};
use crate::store::{Database, NoticeBoard};

/// The name tokens are issued under, and for.
const ISSUER: &str = "estimation";

/// How many passwords are hashed at the same time; each takes a core and 19 MiB.
const HASHING_AT_ONCE: usize = 2;

/// How long the database may take to answer before the node is not ready.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// The application of one node.
pub struct App {
    pub(super) database: Database,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
    pub(super) tokens: TokenIssuer,
    pub(super) refresh_key: Arc<RefreshKey>,
    pub(super) keys: KeyRing,
    pub(super) hashing: Semaphore,
    pub(super) cache: GameCache,
    pub(super) names: Names,
    pub(super) under_way: Arc<UnderWay>,
    pub(super) hub: Arc<Hub>,
    pub(super) notices: OnceLock<NoticeBoard>,
    /// A stream in which nothing happens says so after this long.
    pub(super) heartbeat: Duration,
    closing: watch::Sender<bool>,
}

impl App {
    /// An application on a database, with the system's clock and entropy.
    pub fn new(database: Database, keys: KeyRing) -> App {
        App::with(database, keys, Arc::new(SystemClock), Arc::new(SystemEntropy))
    }

    /// An application with a clock and entropy of one's own: for tests.
    pub fn with(database: Database, keys: KeyRing, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> App {
        App {
            tokens: TokenIssuer::new(ISSUER, ISSUER, keys.token_keys(), Arc::clone(&entropy)),
            refresh_key: keys.refresh_key(),
            keys,
            database,
            clock,
            entropy,
            hashing: Semaphore::new(HASHING_AT_ONCE),
            cache: GameCache::new(),
            names: Names::new(),
            under_way: Arc::default(),
            hub: Arc::default(),
            notices: OnceLock::new(),
            heartbeat: HEARTBEAT,
            closing: watch::Sender::new(false),
        }
    }

    /// The same, with streams that say after another time that nothing happens.
    pub fn with_heartbeat(self, heartbeat: Duration) -> App {
        App { heartbeat, ..self }
    }

    /// The public halves of the keys.
    pub fn jwks(&self) -> Jwks {
        self.keys.jwks(self.now())
    }

    /// A new id, for an account, a session, a game or a request.
    pub fn new_id(&self) -> Uuid {
        new_id(self.now(), &*self.entropy)
    }

    /// Whether the database answers, and soon, and the node is not stopping.
    pub async fn is_ready(&self) -> bool {
        !*self.closing.borrow() && matches!(timeout(READY_WITHIN, self.database.ping()).await, Ok(Ok(())))
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

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
