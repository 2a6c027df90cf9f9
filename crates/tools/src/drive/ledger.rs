//! The ledger: everything the service has acknowledged and shown, to compare with its logs.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use serde_json::json;

use super::scene::Tag;

/// Writes and keeps acknowledged commands.
pub(super) struct Ledger {
    file: Option<Mutex<BufWriter<File>>>,
    /// Whether the records are kept until the end.
    keeps: bool,
}

/// What the service acknowledged and showed of one game.
pub(super) struct Record {
    pub(super) game: String,
    /// The versions after each command, with the tag of the last event.
    pub(super) acknowledged: Vec<(u64, Tag)>,
    /// The exact events that were shown.
    pub(super) seen: Vec<Bytes>,
}

impl Record {
    pub(super) fn of(game: &str) -> Record {
        Record { game: game.to_owned(), acknowledged: Vec::new(), seen: Vec::new() }
    }
}

impl Ledger {
    /// Opens a ledger. Writes to `file` if given, and keeps records if `keeps` is true.
    pub(super) fn open(file: Option<&Path>, keeps: bool) -> Result<Ledger, String> {
        let create = |path: &Path| File::create(path).map_err(|error| format!("{}: {error}", path.display()));
        let file = file.map(create).transpose()?;
        Ok(Ledger { file: file.map(|file| Mutex::new(BufWriter::new(file))), keeps })
    }

    /// Records an acknowledged command: the version after it, the tag of its last event, and its events.
    pub(super) fn acknowledge(
        &self,
        record: &mut Record,
        version: u64,
        tag: Tag,
        events: &[Bytes],
    ) -> Result<(), io::Error> {
        if let Some(file) = &self.file {
            let line = json!({ "game": record.game, "version": version, "tag": hex::encode(tag) });
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            writeln!(file, "{line}")?;
            // An acknowledged command must not be lost if the process dies.
            file.flush()?;
        }
        if self.keeps {
            record.acknowledged.push((version, tag));
            // Copy, so that the rest of the response can be freed.
            record.seen.extend(events.iter().map(|event| Bytes::copy_from_slice(event)));
        }
        Ok(())
    }
}
