//! Errors of key rings.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Kid;
use crate::base::failure::Failure;
use estimation_store::StoreError;

/// Why a key ring is unavailable. It never quotes a key.
#[derive(Debug, Error)]
pub enum KeyError {
    #[error("cannot {doing} the key file {}: {source}", path.display())]
    File {
        /// `read`, `lock` or `write`.
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// Other users may read or change the file.
    #[error(
        "the key file {} has mode {mode:03o}, so others than its owner can get at the keys; \
         make it `chmod 600`, and think of the keys as stolen if anybody could have read them",
        path.display()
    )]
    Exposed { path: PathBuf, mode: u32 },
    /// The text is not a key ring. The text is not quoted, since it may hold keys.
    #[error("the key ring cannot be read at line {line}, column {column}")]
    Unreadable {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    #[error("the key ring has format {found}, this program reads format {known}")]
    Format { found: u32, known: u32 },
    #[error("the key ring has no {set} that is not retired")]
    NoKey {
        /// `token key` or `record key`.
        set: &'static str,
    },
    #[error("the key ring lists a key as {listed}, but its id is {actual}")]
    WrongKid {
        /// The id in the ring.
        listed: String,
        /// The id computed from the key.
        actual: Kid,
    },
    #[error("the two parts of the push key do not belong together")]
    PushKey,
    #[error("the secret that the key ring is encrypted under has fewer than {least} characters")]
    SecretTooShort {
        /// The minimum length.
        least: usize,
    },
    /// The ring in the database was encrypted under another secret, or was modified.
    #[error("the key ring in the database was encrypted under another secret")]
    WrongSecret,
    #[error("the key ring cannot be encrypted")]
    NotSealed,
    #[error("the keys are given by the configuration: change them there, and restart the nodes")]
    Given,
    /// Concurrent changes won every time.
    #[error("another process is changing the key ring")]
    Contended,
    #[error("the key ring cannot be got from the database: {0}")]
    Store(#[from] StoreError),
    /// A key occurs twice, in one set or in both.
    #[error("the key {kid} stands twice in the key ring; token keys and record keys are never the same")]
    Twice { kid: Kid },
}

impl KeyError {
    /// Maps a file system error of an operation on a file.
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> KeyError {
        let path = path.to_owned();
        move |source| KeyError::File { doing, path, source }
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Failure {
        Failure::Keys(error.to_string())
    }
}
