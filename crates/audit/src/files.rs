//! Verifies files: histories, and folders that `--save` made.

use std::fs::{self, File};
use std::io::{BufReader, ErrorKind, stdin};
use std::path::{Path, PathBuf};

use estimation_record::verify::{Report, read};

use crate::keys::Keys;
use crate::log::{self, Client, LogSummary, OpenedEntry};
use crate::save::{GAMES, JWKS, OPENED, PUBLIC_LOG};
use crate::workers::{Workers, with_workers};
use estimation_command::Failed;

const BUFFER: usize = 1 << 16;

/// Verifies files and folders. Without a key from the caller, the keys that were saved in the folders are used.
pub(crate) fn audit(paths: &[PathBuf], keys: &mut Keys) -> Result<(Report, Option<LogSummary>), Failed> {
    if keys.is_empty() && !keys.trust.unsigned {
        for file in paths.iter().map(|path| path.join(JWKS)).filter(|file| file.is_file()) {
            let jwks = fs::read_to_string(&file).map_err(|error| of(&file, &error))?;
            keys.add_own(&format!("{}, as the service published it", file.display()), &jwks)?;
        }
    }
    let mut log = None;
    let audit = with_workers(&keys.trust, |workers| {
        paths.iter().try_for_each(|path| match path.is_dir() {
            true => folder(path, workers, &mut log),
            false => file(path, workers),
        })
    })?;
    Ok((audit.finish(), log))
}

/// Reads a folder that `--save` made: the public log, then the histories.
fn folder(folder: &Path, workers: &mut Workers<'_>, log: &mut Option<LogSummary>) -> Result<(), Failed> {
    let opened = opened(&folder.join(OPENED))?;
    let read = log::read(&Client::saved(folder.join(PUBLIC_LOG)));
    (*log, _) = log::audit(read, opened.as_deref(), workers.audit());
    workers.audit().whole = true;
    let games = folder.join(GAMES);
    let mut histories = Vec::new();
    for entry in fs::read_dir(&games).map_err(|error| of(&games, &error))? {
        histories.push(entry?.path());
    }
    histories.sort();
    histories.iter().try_for_each(|history| file(history, workers))
}

/// The entries that the service opened for an auditor; none without this file.
fn opened(path: &Path) -> Result<Option<Vec<OpenedEntry>>, Failed> {
    match fs::read_to_string(path) {
        Ok(text) => {
            let entries = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
            Ok(Some(entries.map_err(|error| format!("{}: {error}", path.display()))?))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(of(path, &error).into()),
    }
}

fn file(path: &Path, workers: &mut Workers<'_>) -> Result<(), Failed> {
    if path == Path::new("-") {
        read(BufReader::with_capacity(BUFFER, stdin().lock()), workers);
    } else {
        let file = File::open(path).map_err(|error| of(path, &error))?;
        read(BufReader::with_capacity(BUFFER, file), workers);
    }
    Ok(())
}

fn of(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
