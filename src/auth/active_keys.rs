//! The keys in use, and noticing that they have changed where they come from, while the node runs.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::key_source::{KeySource, KeyVersion};
use super::keys::{Jwks, KeyRing, RefreshKey};
use super::security;
use super::tokens::TokenIssuer;
use crate::app::clock::Clock;
use crate::app::entropy::Entropy;
use crate::app::failure::Failure;
use crate::app::handles::Handles;
use crate::store::Database;

/// The name tokens are issued under, and for.
const ISSUER: &str = "estimation";

pub struct ActiveKeys {
    database: Database,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    ring: RwLock<KeyRing>,
    /// Issues and verifies access tokens with the ring's token keys.
    pub(super) tokens: TokenIssuer,
    watched: Option<WatchedKeys>,
}

/// Where the keys come from, and which are in use.
struct WatchedKeys {
    source: KeySource,
    version: Mutex<KeyVersion>,
}

impl ActiveKeys {
    /// Keys that are watched at their source, if it is given with the version that was read.
    pub(crate) fn new(
        handles: &Handles,
        ring: KeyRing,
        watched: Option<(KeySource, KeyVersion)>,
    ) -> ActiveKeys {
        ActiveKeys {
            database: handles.database.clone(),
            clock: Arc::clone(&handles.clock),
            entropy: Arc::clone(&handles.entropy),
            tokens: TokenIssuer::new(ISSUER, ISSUER, ring.token_keys(), Arc::clone(&handles.entropy)),
            ring: RwLock::new(ring),
            watched: watched.map(|(source, version)| WatchedKeys { source, version: Mutex::new(version) }),
        }
    }

    pub fn jwks(&self) -> Jwks {
        self.ring().jwks(self.clock.now())
    }

    pub(crate) fn ring(&self) -> KeyRing {
        self.ring.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The key that refresh tokens follow from.
    pub(super) fn refresh_key(&self) -> Arc<RefreshKey> {
        self.ring().refresh_key()
    }

    /// Goes on with other keys where they have changed. Keys that cannot be read change nothing.
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
