//! The ledger: everything the service has acknowledged and shown, to compare with its logs.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use crate::view::{Event, Tag};

/// Writes and keeps acknowledged commands.
pub struct Ledger {
    file: Option<Mutex<File>>,
    /// Whether the records are kept until the end.
    keeps: bool,
}

/// What the service acknowledged and showed of one game.
pub struct Record {
    pub game: String,
    /// The versions after each command, with the tag of the last event.
    pub acknowledged: Vec<(u64, Tag)>,
    /// The exact events that were shown.
    pub seen: Vec<Event>,
}

impl Record {
    pub fn of(game: &str) -> Record {
        Record { game: game.to_owned(), acknowledged: Vec::new(), seen: Vec::new() }
    }
}

impl Ledger {
    /// Opens a ledger. Writes to `file` if given, and keeps records if `keeps` is true.
    pub fn open(file: Option<&Path>, keeps: bool) -> Result<Ledger, String> {
        let create = |path: &Path| File::create(path).map_err(|error| format!("{}: {error}", path.display()));
        Ok(Ledger { file: file.map(create).transpose()?.map(Mutex::new), keeps })
    }

    /// Records an acknowledged command: the version after it, the tag of its last event, and its events.
    pub fn acknowledge(
        &self,
        record: &mut Record,
        version: u64,
        tag: &Tag,
        events: Vec<Event>,
    ) -> Result<(), io::Error> {
        if let Some(file) = &self.file {
            let line = json!({ "game": record.game, "version": version, "tag": tag }).to_string() + "\n";
            // At once: an acknowledged command must not be lost if the process dies.
            file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())?;
        }
        if self.keeps {
            record.acknowledged.push((version, tag.clone()));
            record.seen.extend(events);
        }
        Ok(())
    }
}
