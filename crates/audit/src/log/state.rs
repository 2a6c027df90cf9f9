//! The file that keeps the last checkpoint of a log, and the games in it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use estimation_tlog::{Checkpoint, Note};
use serde::{Deserialize, Serialize};

use super::games::KnownGames;
use super::outcome::Problem;

const FORMAT: &str = "estimation/watch/v1";

/// What is kept of a log.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    format: String,
    /// The log's verifier key.
    pub(super) log_key: String,
    /// Where the key came from.
    pub(super) log_key_from: KeySource,
    /// The verifier key of the service's own cosignatures.
    pub(super) own_witness: String,
    /// The last checkpoint, as a signed note.
    pub(super) checkpoint: String,
    /// The starts and ends of public games.
    pub(super) games: KnownGames,
}

/// Where the key of a log came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KeySource {
    /// The flag `--log-key`.
    Given,
    /// The service itself, when it was watched for the first time. It could have shown others another key.
    FirstUse,
}

impl State {
    pub(super) fn new(
        log_key: String,
        log_key_from: KeySource,
        own_witness: String,
        checkpoint: String,
        games: KnownGames,
    ) -> State {
        State { format: FORMAT.to_owned(), log_key, log_key_from, own_witness, checkpoint, games }
    }

    /// Reads a file; none if there is none.
    pub(super) fn read(path: &Path) -> Result<Option<State>, Problem> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Problem::unchecked(format_args!("{}: {error}", path.display()))),
        };
        match serde_json::from_str::<State>(&text) {
            Ok(state) if state.format == FORMAT => Ok(Some(state)),
            Ok(State { format, .. }) => {
                Err(Problem::unchecked(format_args!("{}: unknown format {format:?}", path.display())))
            }
            Err(error) => Err(Problem::unchecked(format_args!("{}: {error}", path.display()))),
        }
    }

    /// Replaces the file, durably and in one step, unless it has a larger checkpoint by now.
    pub(super) fn write(&self, path: &Path) -> Result<(), Problem> {
        // Two watches at the same time have two temporary files.
        let new = path.with_extension(format!("{}.new", std::process::id()));
        let failed = |error| Problem::unchecked(format_args!("{}: {error}", path.display()));
        let replaced = self.save(&new).map_err(failed).and_then(|()| match State::read(path)? {
            Some(kept) if kept.log_key != self.log_key => Err(Problem::unchecked(format_args!(
                "{}: another watch keeps the checkpoint of another log key in it",
                path.display()
            ))),
            Some(kept) if kept.size() > self.size() => fs::remove_file(&new).map_err(failed),
            _ => fs::rename(&new, path).map_err(failed),
        });
        if replaced.is_err() {
            // The first error says more than that there is no such file.
            drop(fs::remove_file(&new));
        }
        replaced?;
        let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }

    /// Writes a new file, durably.
    fn save(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        let mut file = File::create(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    /// The number of entries in the checkpoint; none if it is damaged.
    fn size(&self) -> Option<u64> {
        let note: Note = self.checkpoint.parse().ok()?;
        Some(note.text().parse::<Checkpoint>().ok()?.size)
    }
}
