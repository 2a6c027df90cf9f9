//! The manifest of a backup: a file beside it, which says what is in it.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use estimation_engine::hex::Hex;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_store::public_log::audit_reads;
use estimation_store::{Connection, DatabaseUrl, games};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Failed;

/// The format of a manifest.
const FORMAT: &str = "estimation/backup/v1";

/// What a backup was when it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: String,
    /// The program that made the copy, and its version.
    program: String,
    /// When the copy was complete.
    pub(super) made_at: Timestamp,
    #[serde(flatten)]
    pub(super) digest: FileDigest,
    pub(super) contents: Contents,
}

/// The size and the hash of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileDigest {
    /// The size.
    pub(super) bytes: u64,
    /// The hash, as 64 hexadecimal digits.
    pub(super) sha256: String,
}

/// What is in a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Contents {
    /// The number of games by status.
    pub(super) games: BTreeMap<String, u64>,
    /// The public logs, the newest last.
    pub(super) logs: Vec<LogHead>,
}

/// The end of a public log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LogHead {
    /// The log's name.
    pub(super) origin: String,
    /// The number of entries.
    pub(super) size: u64,
    /// The root of their Merkle tree, as 64 hexadecimal digits.
    root: String,
}

impl Manifest {
    /// The manifest of a copy that was just made.
    pub(super) fn of(copy: &Path) -> Result<Manifest, Failed> {
        let (contents, digest) = (Contents::of(copy)?, FileDigest::of(copy)?);
        let program = format!("estimation {}", env!("CARGO_PKG_VERSION"));
        Ok(Manifest { format: FORMAT.to_owned(), program, made_at: SystemClock.now(), digest, contents })
    }

    pub(super) fn read(copy: &Path) -> Result<Manifest, Failed> {
        let file = place(copy);
        let failed = |why: String| format!("{}: {why}", file.display());
        let text = fs::read_to_string(&file).map_err(|error| failed(error.to_string()))?;
        let manifest: Manifest = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
        if manifest.format != FORMAT {
            return Err(failed(format!("the format is {}, not {FORMAT}", manifest.format)).into());
        }
        Ok(manifest)
    }

    /// Fails if a copy has a manifest.
    pub(super) fn refuse_existing(copy: &Path) -> Result<(), Failed> {
        let file = place(copy);
        match file.symlink_metadata() {
            Ok(_) => Err(format!("{} already exists", file.display()).into()),
            Err(_) => Ok(()),
        }
    }

    /// Writes the manifest beside the copy, and syncs it to disk.
    pub(super) fn write(&self, copy: &Path) -> Result<(), Failed> {
        let file = place(copy);
        let text = serde_json::to_string_pretty(self)? + "\n";
        let written = OpenOptions::new().write(true).create_new(true).open(&file).and_then(|mut manifest| {
            manifest.write_all(text.as_bytes())?;
            manifest.sync_all()
        });
        written.map_err(|error| format!("{}: {error}", file.display()).into())
    }
}

impl FileDigest {
    pub(super) fn of(file: &Path) -> Result<FileDigest, Failed> {
        let read = File::open(file).and_then(FileDigest::read);
        read.map_err(|error| format!("{}: {error}", file.display()).into())
    }

    fn read(mut file: File) -> io::Result<FileDigest> {
        let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 20]);
        loop {
            let read = file.read(&mut buffer)?;
            let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { break };
            hash.update(part);
            bytes += part.len() as u64;
        }
        Ok(FileDigest { bytes, sha256: Hex(<[u8; 32]>::from(hash.finalize())).to_string() })
    }
}

impl Contents {
    pub(super) fn of(copy: &Path) -> Result<Contents, Failed> {
        Contents::read(&mut Connection::inspect(&DatabaseUrl::sqlite(copy))?)
    }

    pub(super) fn read(conn: &mut Connection) -> Result<Contents, Failed> {
        let games = games::count_by_status(conn)?.into_iter().collect();
        let logs = audit_reads::logs(conn)?.into_iter();
        let logs =
            logs.map(|log| LogHead { origin: log.origin, size: log.size, root: Hex(log.root).to_string() });
        Ok(Contents { games, logs: logs.collect() })
    }
}

/// The file of a copy's manifest.
fn place(copy: &Path) -> PathBuf {
    let mut name = copy.as_os_str().to_owned();
    name.push(".manifest.json");
    name.into()
}
