//! The ledger: what the service has acknowledged and shown, to hold its logs against.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use hyper::body::Bytes;
use serde_json::json;

use super::scene::{Hash, Scene};

/// Where acknowledged commands are written down.
pub(super) struct Ledger {
    file: Option<Mutex<BufWriter<File>>>,
    /// Whether the records are kept until the end.
    keeps: bool,
}

/// What was acknowledged and shown of one game.
pub(super) struct Record {
    pub(super) game: String,
    /// The versions that commands led to, with the hash of the last event.
    pub(super) acknowledged: Vec<(u64, Hash)>,
    /// The events that were shown with them, word for word.
    pub(super) seen: Vec<Bytes>,
}

impl Record {
    pub(super) fn of(game: &str) -> Record {
        Record { game: game.to_owned(), acknowledged: Vec::new(), seen: Vec::new() }
    }
}

impl Ledger {
    /// A ledger that writes to a file, if one is given, and that keeps records, if they are needed.
    pub(super) fn open(file: Option<&Path>, keeps: bool) -> Result<Ledger, String> {
        let create = |path: &Path| File::create(path).map_err(|error| format!("{}: {error}", path.display()));
        let file = file.map(create).transpose()?;
        Ok(Ledger { file: file.map(|file| Mutex::new(BufWriter::new(file))), keeps })
    }

    /// Enters an acknowledged command with the scene after it and the events it caused.
    pub(super) fn acknowledge(
        &self,
        record: &mut Record,
        scene: &Scene,
        events: &[Bytes],
    ) -> Result<(), io::Error> {
        if let Some(file) = &self.file {
            let line =
                json!({ "game": record.game, "version": scene.version, "hash": hex::encode(scene.hash) });
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            writeln!(file, "{line}")?;
            // A line that counts must not be lost with the process.
            file.flush()?;
        }
        if self.keeps {
            record.acknowledged.push((scene.version, scene.hash));
            // A copy, so that the rest of the answer does not stay with it.
            record.seen.extend(events.iter().map(|event| Bytes::copy_from_slice(event)));
        }
        Ok(())
    }
}
