//! Noticing that the keys have changed where they come from, while the node runs.

use std::sync::{Mutex, PoisonError};

use super::failure::Failure;
use super::key_source::{KeySource, KeyVersion};
use super::security;
use super::state::App;

/// Where the keys come from, and which are in use.
pub(super) struct WatchedKeys {
    source: KeySource,
    version: Mutex<KeyVersion>,
}

impl WatchedKeys {
    pub(super) fn new(source: KeySource, version: KeyVersion) -> WatchedKeys {
        WatchedKeys { source, version: Mutex::new(version) }
    }
}

impl App {
    /// Goes on with other keys where they have changed. Keys that cannot be read change nothing.
    pub(super) async fn poll_keys(&self) -> Result<(), Failure> {
        let Some(watched) = &self.key_source else { return Ok(()) };
        let version = watched.source.version(&self.database).await?;
        let known = watched.version.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if version == known {
            return Ok(());
        }
        let (ring, version) = watched.source.load(&self.database, &*self.entropy, self.now()).await?;
        self.replace_keys(ring);
        *watched.version.lock().unwrap_or_else(PoisonError::into_inner) = version;
        security::keys_replaced();
        Ok(())
    }
}
