//! The keys in use, and their reload when the source changes.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use super::key_source::{KeySource, KeyVersion};
use super::keys::{Jwks, KeyRing, RefreshKey};
use super::security;
use super::tokens::TokenIssuer;
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::Failure;
use estimation_store::Database;

/// Issuer and audience of access tokens.
const ISSUER: &str = "estimation";

pub struct ActiveKeys {
    database: Database,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    ring: RwLock<KeyRing>,
    pub(super) tokens: TokenIssuer,
    watched: Option<WatchedKeys>,
    /// When the keys were last reloaded because one was unknown, on the monotonic clock.
    asked_at: Mutex<Option<Duration>>,
}

/// How often unknown keys reload the keys at most.
const ASKED_EVERY: Duration = Duration::from_secs(1);

/// The key source, and the version in use.
struct WatchedKeys {
    source: KeySource,
    version: Mutex<KeyVersion>,
}

impl ActiveKeys {
    /// `watched`: the source to reload from, and the version read at start.
    pub(crate) fn new(
        database: Database,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        ring: KeyRing,
        watched: Option<(KeySource, KeyVersion)>,
    ) -> ActiveKeys {
        ActiveKeys {
            tokens: TokenIssuer::new(ISSUER, ISSUER, ring.token_keys(), Arc::clone(&entropy)),
            database,
            clock,
            entropy,
            ring: RwLock::new(ring),
            watched: watched.map(|(source, version)| WatchedKeys { source, version: Mutex::new(version) }),
            asked_at: Mutex::new(None),
        }
    }

    pub fn jwks(&self) -> Jwks {
        self.ring().jwks(self.clock.now())
    }

    pub(crate) fn ring(&self) -> KeyRing {
        self.ring.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn refresh_key(&self) -> Arc<RefreshKey> {
        self.ring().refresh_key()
    }

    /// Reloads changed keys because one is unknown, at most once a second. Returns whether it did.
    pub(crate) async fn reload_for_unknown_key(&self) -> Result<bool, Failure> {
        let now = self.clock.monotonic();
        {
            let mut asked_at = self.asked_at.lock().unwrap_or_else(PoisonError::into_inner);
            if asked_at.is_some_and(|at| now.saturating_sub(at) < ASKED_EVERY) {
                return Ok(false);
            }
            *asked_at = Some(now);
        }
        self.poll().await.map(|()| true)
    }

    /// Reloads changed keys. If they cannot be read, the current keys stay.
    pub(crate) async fn poll(&self) -> Result<(), Failure> {
        let Some(watched) = &self.watched else { return Ok(()) };
        let version = watched.source.version(&self.database).await?;
        let known = watched.version.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if version == known {
            return Ok(());
        }
        let (ring, version) = watched.source.load(&self.database, &*self.entropy, self.clock.now()).await?;
        self.tokens.replace_keys(ring.token_keys());
        *self.ring.write().unwrap_or_else(PoisonError::into_inner) = ring;
        *watched.version.lock().unwrap_or_else(PoisonError::into_inner) = version;
        security::keys_replaced();
        Ok(())
    }
}
