//! Key sources: a file, the configuration, or, encrypted, the database that all nodes share.

use std::path::PathBuf;
use std::time::SystemTime;

use jiff::Timestamp;

use super::keys::{KeyError, KeyRing, KeysSecret};
use crate::base::entropy::Entropy;
use estimation_store::{Connection, Database, Server, sealed_keys};

/// Attempts at a change while others also change the keys.
const TRIES: usize = 5;

#[derive(Clone)]
pub enum KeySource {
    File(PathBuf),
    /// A file, created on the first run.
    OwnFile(PathBuf),
    /// The configuration; never reloaded.
    Given(KeyRing),
    /// The database, encrypted under a secret; created on the first run.
    Sealed(KeysSecret),
}

/// Identifies the keys that a source held when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyVersion {
    /// Modification time and length.
    File(Option<SystemTime>, u64),
    Given,
    /// A rising number.
    Sealed(i64),
}

impl KeySource {
    pub async fn load(
        &self,
        database: &Database,
        entropy: &dyn Entropy,
        now: Timestamp,
    ) -> Result<(KeyRing, KeyVersion), KeyError> {
        match self {
            // Read the version first: a change in between is then noticed at the next check.
            KeySource::File(path) => {
                let version = self.version(database).await?;
                Ok((KeyRing::load(path)?, version))
            }
            KeySource::OwnFile(path) => {
                KeyRing::load_or_create(path, entropy, now)?;
                let version = self.version(database).await?;
                Ok((KeyRing::load(path)?, version))
            }
            KeySource::Given(ring) => Ok((ring.clone(), KeyVersion::Given)),
            KeySource::Sealed(secret) => {
                for _ in 0..TRIES {
                    if let Some((version, sealed)) = database.read(sealed_keys::find).await? {
                        return Ok((secret.open(&sealed)?, KeyVersion::Sealed(version)));
                    }
                    let sealed = secret.seal(&KeyRing::create(entropy, now), entropy)?;
                    database.write(Server, move |conn| sealed_keys::replace(conn, 0, &sealed)).await?;
                }
                Err(KeyError::Contended)
            }
        }
    }

    /// The keys, for reading only. None if they are in the database, and it has none or there is no connection to it.
    pub fn read(&self, conn: Option<&mut Connection>) -> Result<Option<KeyRing>, KeyError> {
        match self {
            KeySource::File(path) | KeySource::OwnFile(path) => KeyRing::load(path).map(Some),
            KeySource::Given(ring) => Ok(Some(ring.clone())),
            KeySource::Sealed(secret) => {
                let sealed = conn.map(sealed_keys::find).transpose()?.flatten();
                sealed.map(|(_, sealed)| secret.open(&sealed)).transpose()
            }
        }
    }

    /// The version of the keys that the source holds now.
    pub async fn version(&self, database: &Database) -> Result<KeyVersion, KeyError> {
        match self {
            KeySource::File(path) | KeySource::OwnFile(path) => {
                let metadata = std::fs::metadata(path).map_err(KeyError::file("read", path))?;
                Ok(KeyVersion::File(metadata.modified().ok(), metadata.len()))
            }
            KeySource::Given(_) => Ok(KeyVersion::Given),
            KeySource::Sealed(_) => {
                Ok(KeyVersion::Sealed(database.read(sealed_keys::version).await?.unwrap_or(0)))
            }
        }
    }

    /// Changes the keys at their source, for example by rotation. Running nodes reload them.
    ///
    /// # Errors
    /// [`KeyError::Given`] if the keys come from the configuration.
    pub async fn change<T>(
        &self,
        database: &Database,
        entropy: &dyn Entropy,
        mut change: impl FnMut(&mut KeyRing) -> T,
    ) -> Result<T, KeyError> {
        match self {
            KeySource::File(path) | KeySource::OwnFile(path) => {
                KeyRing::change_in(path, change).map(|(_, changed)| changed)
            }
            KeySource::Given(_) => Err(KeyError::Given),
            KeySource::Sealed(secret) => {
                for _ in 0..TRIES {
                    let (version, sealed) =
                        database.read(sealed_keys::find).await?.ok_or(KeyError::Contended)?;
                    let mut ring = secret.open(&sealed)?;
                    let changed = change(&mut ring);
                    let sealed = secret.seal(&ring, entropy)?;
                    if database
                        .write(Server, move |conn| sealed_keys::replace(conn, version, &sealed))
                        .await?
                    {
                        return Ok(changed);
                    }
                }
                Err(KeyError::Contended)
            }
        }
    }
}
